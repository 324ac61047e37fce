// 1: each begins when the one before has ended
const fs = require('fs');
fs.stat('/', () => {
  console.log('a');
  fs.stat('/', () => console.log('b'));
});
