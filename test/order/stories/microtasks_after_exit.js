'use strict';
// At a natural end the promises of exit listeners still run; ticks don't.
process.on('exit', () => {
  console.log('exit');
  Promise.resolve().then(() => console.log('microtask'));
  process.nextTick(() => console.log('never'));
});
