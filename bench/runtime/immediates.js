'use strict';
// A million immediates, each started by the one before: a million turns of the loop.
const COUNT = 1e6;
let count = 0;
const start = performance.now();
(function next() {
  if (++count < COUNT) setImmediate(next);
  else console.log((performance.now() - start) * 1e6 / COUNT);
})();
