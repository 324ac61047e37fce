// A busy callback makes timers late (T4)
//
// The script computes for 50 ms. Which timer is first when it is done?

setTimeout(() => console.log('20 ms'), 20);
setTimeout(() => console.log('10 ms'), 10);
setImmediate(() => console.log('immediate'));
const start = Date.now();
while (Date.now() < start + 50);
console.log('done');

// Answer: Both are late, none is lost, and they keep their order. They come before the
// immediate: the next turn begins with timers.
