'use strict';
// open, fstat, read, close, each with ticks and microtasks of its own.
const fs = require('fs');
const around = (name) => {
  console.log(name);
  process.nextTick(() => console.log(`${name}: tick`));
  Promise.resolve().then(() => console.log(`${name}: microtask`));
  setImmediate(() => console.log(`${name}: immediate`));
};
fs.open(__filename, 'r', (error, fd) => {
  around('open');
  setImmediate(() => fs.fstat(fd, (failed, stats) => {
    around(`fstat ${stats.isFile()}`);
    setImmediate(() => fs.read(fd, Buffer.alloc(4), 0, 4, 0, (bad, count) => {
      around(`read ${count}`);
      setImmediate(() => fs.close(fd, (none) => around(`close ${none}`)));
    }));
  }));
});
