'use strict';
const never = setTimeout(() => console.log('never'), 2e9).unref();
console.log(never.hasRef());
const lost = setImmediate(() => console.log('runs, since the loop turns anyway'));
lost.unref();
console.log(lost.hasRef());
setImmediate(() => {
  const some = setTimeout(() => console.log('referenced again'), 5).unref();
  some.ref();
  console.log(some.hasRef());
});
process.on('exit', () => console.log('exit'));
