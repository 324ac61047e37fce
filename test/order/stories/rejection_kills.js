'use strict';
process.on('exit', (code) => console.log('exit', code));
setImmediate(() => console.log('never'));
process.nextTick(() => console.log('tick'));
(async () => {
  await null;
  throw new Error('on purpose');
})();
