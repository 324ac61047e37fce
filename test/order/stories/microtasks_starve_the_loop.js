'use strict';
// So does recursion by promises.
let left = 5000;
setImmediate(() => console.log('immediate, microtasks left:', left));
process.nextTick(() => console.log('tick'));
(function again() {
  if (--left > 0) Promise.resolve().then(again);
})();
