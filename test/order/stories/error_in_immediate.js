'use strict';
process.on('uncaughtException', (error, origin) => console.log('caught', error.message, origin));
setImmediate(() => {
  console.log('immediate 1');
  process.nextTick(() => console.log('tick 1'));
  throw new Error('from immediate 1');
});
setImmediate(() => {
  console.log('immediate 2');
  process.nextTick(() => console.log('tick 2'));
});
setImmediate(() => console.log('immediate 3'));
