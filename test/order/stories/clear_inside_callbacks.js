'use strict';
// Clearing those that are due in the same phase silences them.
const timers = [];
timers.push(setTimeout(() => {
  console.log('first clears second and itself');
  clearTimeout(timers[1]);
  clearTimeout(timers[0]);
}, 1));
timers.push(setTimeout(() => console.log('never'), 1));
timers.push(setTimeout(() => console.log('third'), 1));
const immediates = [];
immediates.push(setImmediate(() => {
  console.log('immediate 1 clears 2');
  clearImmediate(immediates[1]);
  process.nextTick(() => clearImmediate(immediates[2]));
}));
immediates.push(setImmediate(() => console.log('never')));
immediates.push(setImmediate(() => console.log('never')));
immediates.push(setImmediate(() => console.log('immediate 4')));
const start = Date.now();
while (Date.now() - start < 5);
