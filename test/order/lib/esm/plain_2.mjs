console.log('plain 2'); export default 2;
