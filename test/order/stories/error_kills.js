'use strict';
// Nobody listens: exit is emitted with code 1 and nothing else runs.
process.on('exit', (code) => console.log('exit', code));
process.nextTick(() => console.log('tick before'));
setImmediate(() => console.log('never'));
process.nextTick(() => {
  throw new Error('on purpose');
});
process.nextTick(() => console.log('never'));
