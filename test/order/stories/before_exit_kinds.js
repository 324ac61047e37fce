'use strict';
// What in beforeExit prolongs a life: a tick doesn't, an immediate does.
let rounds = 0;
process.on('beforeExit', () => {
  console.log('beforeExit', ++rounds);
  process.nextTick(() => console.log('tick'));
  Promise.resolve().then(() => console.log('microtask'));
  if (rounds === 1) setImmediate(() => console.log('immediate'));
  if (rounds === 2) setTimeout(() => console.log('never'), 1).unref();
});
process.on('exit', () => console.log('exit'));
