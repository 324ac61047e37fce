console.log('plain 1'); export default 1;
