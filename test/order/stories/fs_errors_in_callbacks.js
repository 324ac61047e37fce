'use strict';
// A file callback that throws: the error goes to uncaughtException before anything else
// runs, then the rest goes on.
const fs = require('fs');
process.on('uncaughtException', (error) => {
  console.log('caught', error.message);
  process.nextTick(() => console.log('tick after the error'));
});
fs.readFile(__filename, () => {
  process.nextTick(() => console.log('tick'));
  setImmediate(() => console.log('immediate'));
  fs.stat('/nonexistent', (error) => {
    console.log(error.code);
    process.nextTick(() => {
      console.log('tick of stat');
      throw new Error('in a tick');
    });
    process.nextTick(() => console.log('second tick of stat'));
  });
  throw new Error('in a file callback');
});
