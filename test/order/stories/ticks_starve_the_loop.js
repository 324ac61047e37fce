'use strict';
// Recursion by nextTick keeps the loop from turning: the timer waits for its end.
let left = 5000;
setTimeout(() => console.log('timer, ticks left:', left), 0);
setImmediate(() => console.log('immediate, ticks left:', left));
(function again() {
  if (--left > 0) process.nextTick(again);
})();
const start = Date.now();
while (Date.now() - start < 5);
