// 5: a timer in the first turn or not, an answer in the first turn or not, and of two that are left either first
setTimeout(() => console.log('timeout'), 0);
setImmediate(() => console.log('immediate'));
require('fs').stat('/', () => console.log('file'));
