'use strict';
// 300 chained immediates take a small fraction of 300 chained timeouts of 0 ms, each of
// which waits for a millisecond (the first for what is left of one).
function chain(start, done, left = 300) {
  if (left === 0) done();
  else start(() => chain(start, done, left - 1));
}
const began = performance.now();
chain(setImmediate, () => {
  const immediates = performance.now() - began;
  const again = performance.now();
  chain((callback) => setTimeout(callback, 0), () => {
    const timeouts = performance.now() - again;
    console.log('a small fraction:', immediates < timeouts / 2, 'a millisecond each:', timeouts >= 299);
  });
});
