// await in a loop, within an AsyncLocalStorage: nanoseconds each.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const storage = new AsyncLocalStorage();
const COUNT = 500000;

const later = async (value) => value;

async function run() {
  let sum = 0;
  for (let i = 0; i < COUNT; i++) sum += await later(i);
  return sum;
}

storage.run('store', async () => {
  await run();
  const start = process.hrtime.bigint();
  await run();
  console.log(Number(process.hrtime.bigint() - start) / COUNT);
});
