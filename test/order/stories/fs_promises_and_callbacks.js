'use strict';
// Awaiting one file after the other, with ticks in between.
const fs = require('fs');
async function main() {
  const tick = (name) => process.nextTick(() => console.log(`tick after ${name}`));
  const handle = await fs.promises.open(__filename);
  console.log('open');
  tick('open');
  const stats = await handle.stat();
  console.log('stat', stats.isFile());
  tick('stat');
  setImmediate(() => console.log('immediate'));
  await new Promise((resolve) => setImmediate(resolve));
  console.log('after the immediate');
  await handle.close();
  console.log('close', handle.fd);
  tick('close');
  await null;
  console.log('microtask');
  try {
    await fs.promises.readFile('/nonexistent');
  } catch (error) {
    console.log(error.code);
    tick('error');
  }
}
main().then(() => console.log('done'));
console.log('main');
