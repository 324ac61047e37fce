'use strict';
let count = 0;
const interval = setInterval(() => {
  console.log('interval', ++count);
  process.nextTick(() => console.log('tick', count));
  if (count === 3) {
    clearInterval(interval);
    setImmediate(() => console.log('immediate'));
  }
}, 5);
