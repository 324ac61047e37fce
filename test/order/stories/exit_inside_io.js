'use strict';
// process.exit() inside a file's callback: nothing comes after it, not even its own ticks.
const fs = require('fs');
process.on('exit', (code) => {
  console.log('exit', code);
  fs.readFile(__filename, () => console.log('never'));
  setImmediate(() => console.log('never'));
});
fs.readFile(__filename, () => {
  console.log('file');
  process.nextTick(() => console.log('never'));
  setImmediate(() => console.log('never'));
  process.exit(0);
});
