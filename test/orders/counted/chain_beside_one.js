// 3: one answer between, before or behind two in a row
const fs = require('fs');
fs.stat('/', () => {
  console.log('a1');
  fs.stat('/', () => console.log('a2'));
});
fs.stat('/', () => console.log('b'));
