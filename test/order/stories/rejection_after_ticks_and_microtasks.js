'use strict';
process.on('unhandledRejection', (reason, promise) => {
  console.log('unhandled', reason.message, promise instanceof Promise);
  process.nextTick(() => console.log('tick of the handler'));
});
Promise.reject(new Error('1'));
const saved = Promise.reject(new Error('2'));
process.nextTick(() => {
  console.log('tick');
  saved.catch(() => console.log('saved in time'));
});
Promise.resolve().then(() => console.log('microtask'));
setImmediate(() => console.log('immediate'));
