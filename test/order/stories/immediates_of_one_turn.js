'use strict';
// Those queued by immediates wait for the next turn, behind a due timer.
setImmediate(() => {
  console.log('immediate 1');
  setImmediate(() => console.log('immediate of the next turn'));
  setTimeout(() => console.log('timer'), 1);
  process.nextTick(() => console.log('tick 1'));
  const start = Date.now();
  while (Date.now() - start < 5);
});
setImmediate(() => {
  console.log('immediate 2');
  Promise.resolve().then(() => console.log('microtask 2'));
});
setImmediate(() => console.log('immediate 3'));
