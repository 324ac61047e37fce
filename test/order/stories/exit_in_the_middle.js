'use strict';
process.on('exit', (code) => {
  console.log('exit', code, process.exitCode);
  Promise.resolve().then(() => console.log('never'));
});
process.nextTick(() => console.log('tick'));
setImmediate(() => {
  console.log('immediate');
  process.nextTick(() => console.log('never'));
  process.exit(3);
});
setImmediate(() => console.log('never'));
