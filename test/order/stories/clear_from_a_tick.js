'use strict';
// Ticks run between two due timers, so a tick can clear the second.
const second = setTimeout.bind(null, () => console.log('never'), 1);
let victim;
setTimeout(() => {
  console.log('first');
  process.nextTick(() => {
    console.log('tick clears');
    clearTimeout(victim);
  });
}, 1);
victim = second();
setTimeout(() => console.log('third'), 1);
const start = Date.now();
while (Date.now() - start < 5);
