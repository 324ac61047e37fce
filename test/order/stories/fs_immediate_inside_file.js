'use strict';
// Inside a file's callback the immediate comes before the timer, and ticks and microtasks
// before both; each file is a callback of its own.
const fs = require('fs');
const log = (text) => console.log(text);
fs.readFile(__filename, () => {
  log('file');
  // After 2 ms of work it is due, and still comes after the immediate.
  setTimeout(() => log('timeout'), 0);
  for (const start = Date.now(); Date.now() - start < 3;);
  setImmediate(() => {
    log('immediate');
    process.nextTick(() => log('tick of immediate'));
    fs.stat(__filename, () => {
      log('stat');
      setImmediate(() => log('immediate of stat'));
      Promise.resolve().then(() => log('microtask of stat'));
      process.nextTick(() => log('tick of stat'));
    });
  });
  process.nextTick(() => log('tick'));
  Promise.resolve().then(() => log('microtask'));
});
