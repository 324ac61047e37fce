console.log('plain 3'); export default 3;
