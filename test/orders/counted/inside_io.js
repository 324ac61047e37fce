// 1: behind an answer the check phase comes before the next timers
require('fs').stat('/', () => {
  setTimeout(() => console.log('timeout'), 0);
  setImmediate(() => console.log('immediate'));
});
