'use strict';
// Recursion by setImmediate lets timers through.
let turns = 0;
let stop = false;
(function again() {
  if (++turns === 100)
    setTimeout(() => {
      stop = true;
      console.log('timer came through');
    }, 5);
  if (!stop) setImmediate(again);
  else console.log('turns were many:', turns > 100);
})();
