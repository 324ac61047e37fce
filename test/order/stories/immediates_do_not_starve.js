'use strict';
// Recursion by setImmediate lets timers through.
let turns = 0;
let stop = false;
setTimeout(() => {
  stop = true;
  console.log('timer came through');
}, 5);
(function again() {
  turns++;
  if (!stop) setImmediate(again);
  else console.log('turns were many:', turns > 2);
})();
