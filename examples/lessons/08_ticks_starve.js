// Ticks of ticks starve the loop (N4)
//
// Each tick queues another. When is it the timer's turn?

setTimeout(() => console.log('timer, at last'), 0);
let ticks = 0;
const tick = () => {
  console.log('tick', ++ticks);
  if (ticks < 5) process.nextTick(tick);
};
tick();

// Answer: When no tick is left. There is no limit: with `if (true)` the timer never
// comes.
