'use strict';
// Due together, timers come by expiry; of one duration, in the order of their start.
for (const [name, ms] of [['a', 40], ['b', 20], ['c', 40], ['d', 1], ['e', 20], ['f', 1]])
  setTimeout(() => {
    console.log(name);
    process.nextTick(() => console.log(`${name}: tick`));
  }, ms);
const start = Date.now();
while (Date.now() - start < 60);
console.log('main');
