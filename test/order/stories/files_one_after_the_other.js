'use strict';
const fs = require('fs');
fs.stat(__filename, (error, stats) => {
  console.log('stat', error, stats.isFile());
  process.nextTick(() => console.log('tick'));
  setImmediate(() => console.log('immediate'));
  fs.readFile(__filename, 'utf8', (error2, text) => {
    console.log('read', error2, text.startsWith("'use strict'"));
    fs.promises.stat('/nonexistent').catch((error3) => console.log(error3.code, error3.syscall));
    Promise.resolve().then(() => console.log('microtask'));
  });
});
