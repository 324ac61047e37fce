'use strict';
// Timers that a program changes: `_repeat`, and functions with a call and apply of their own.
const { log } = console;
let fired = 0;
const timer = setTimeout(() => {
  log('timeout', ++fired);
  if (fired === 1) timer._repeat = 1;
  else {
    clearTimeout(timer);
    second();
  }
}, 1);
function second() {
  let times = 0;
  const interval = setInterval(() => {
    log('interval', ++times, interval._idleTimeout);
    interval._repeat = times === 1 ? 2 : null;
    if (times === 2) setTimeout(third, 1);
  }, 1);
}

function odd(...args) { log('odd', args, typeof this); }
odd.call = odd.apply = 'not a function';
function third() {
  setImmediate(odd);
  setImmediate(odd, 1);
  process.nextTick(odd, 1, 2, 3);
  setTimeout(() => {
    setTimeout(odd, 1, 1);
    setTimeout(odd, 1);
  }, 20);
  process.nextTick(function () { log(this); }, 1);
  const immediate = setImmediate(function () { log(this === immediate, immediate._onImmediate !== null); });
}
