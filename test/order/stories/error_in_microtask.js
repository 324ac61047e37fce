'use strict';
// A queued microtask's error is reported, the others go on.
process.on('uncaughtException', (error) => {
  console.log('caught', error.message);
  process.nextTick(() => console.log('tick of the handler'));
});
queueMicrotask(() => {
  throw new Error('first');
});
queueMicrotask(() => console.log('second'));
Promise.resolve().then(() => console.log('third'));
process.nextTick(() => console.log('tick'));
