'use strict';
const timers = require('timers/promises');
(async () => {
  console.log(await timers.setTimeout(20, 'timeout'));
  console.log(await timers.setImmediate('immediate'));
  let count = 0;
  for await (const value of timers.setInterval(5, 'interval')) {
    console.log(value);
    if (++count === 2) break;
  }
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  await timers.setTimeout(10000, 0, { signal: controller.signal }).catch((error) => console.log(error.name, error.code));
})();
