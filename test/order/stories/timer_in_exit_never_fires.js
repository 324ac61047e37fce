'use strict';
process.on('exit', () => {
  setTimeout(() => console.log('never'), 0);
  setImmediate(() => console.log('never'));
  process.nextTick(() => console.log('never'));
  console.log('exit');
});
