'use strict';
// After 10 ms of work the timeout is due when the loop begins, so it comes first.
setImmediate(() => console.log('immediate'));
setTimeout(() => console.log('timeout'), 0);
const start = Date.now();
while (Date.now() - start < 10);
console.log('main');
