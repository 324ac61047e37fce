'use strict';
// A chain of 20 ticks prints all its lines before any of the timeouts it started.
let count = 0;
function next() {
  const line = ++count;
  console.log(`tick ${line}`);
  setTimeout(() => console.log(`timeout ${line}`), 0);
  if (count < 20) process.nextTick(next);
}
process.nextTick(next);
