// An hour of intervals, a minute each.
const began = Date.now();
let minutes = 0;
const interval = setInterval(() => {
  if (++minutes < 60) return;
  clearInterval(interval);
  console.log(`${minutes} minutes, ${Date.now() - began} ms`);
}, 60000);
