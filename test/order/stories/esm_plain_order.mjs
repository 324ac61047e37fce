// A module that waits for nothing: its microtasks come before its ticks.
import { setTimeout as wait } from 'timers/promises';

console.log('begin');
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => {
  console.log('microtask');
  process.nextTick(() => console.log('tick of the microtask'));
  queueMicrotask(() => console.log('microtask of the microtask'));
});
setImmediate(() => {
  console.log('immediate');
  wait(1).then(() => console.log('timer'));
});
console.log('end');
