'use strict';
process.on('uncaughtException', (error) => console.log('caught', error.message));
setTimeout(() => {
  console.log('timer 1');
  process.nextTick(() => console.log('tick 1'));
  throw new Error('from timer 1');
}, 1);
setTimeout(() => {
  console.log('timer 2');
  process.nextTick(() => console.log('tick 2'));
}, 1);
setTimeout(() => console.log('timer 3'), 30);
const start = Date.now();
while (Date.now() - start < 5);
