'use strict';
// All ticks, then all microtasks, again until both are empty.
Promise.resolve().then(() => {
  console.log('microtask 1');
  process.nextTick(() => {
    console.log('tick from microtask 1');
    Promise.resolve().then(() => console.log('microtask from tick'));
  });
}).then(() => console.log('microtask 2'));
process.nextTick(() => {
  console.log('tick 1');
  Promise.resolve().then(() => console.log('microtask from tick 1'));
  process.nextTick(() => console.log('tick from tick 1'));
});
queueMicrotask(() => console.log('queued'));
console.log('main');
