// An interval counts from its callback (T3)
//
// Ticks of 10 ms, and the first one computes for 20 ms. Where does the timeout come?

let ticks = 0;
const interval = setInterval(() => {
  console.log('tick', ++ticks);
  const start = Date.now();
  while (ticks === 1 && Date.now() < start + 20);
  if (ticks === 3) clearInterval(interval);
}, 10);
setTimeout(() => console.log('35 ms'), 35);

// Answer: Behind the first tick. An interval is started again behind its callback, so what
// that takes shifts all later ticks; missed ones aren't made up for.
