'use strict';
// Two timers of one duration: the second comes after the first one's ticks.
setTimeout(() => {
  console.log('timer 1');
  process.nextTick(() => console.log('tick of timer 1'));
  Promise.resolve().then(() => console.log('microtask of timer 1'));
}, 1);
setTimeout(() => {
  console.log('timer 2');
  process.nextTick(() => console.log('tick of timer 2'));
  Promise.resolve().then(() => console.log('microtask of timer 2'));
}, 1);
const start = Date.now();
while (Date.now() - start < 5);
