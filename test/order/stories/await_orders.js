'use strict';
// async functions against plain promises and ticks.
async function one() {
  console.log('one starts');
  await null;
  console.log('one after await');
  await new Promise((resolve) => process.nextTick(resolve));
  console.log('one after tick');
  await new Promise((resolve) => setImmediate(resolve));
  console.log('one after immediate');
}
async function two() {
  console.log('two starts');
  for (let i = 0; i < 4; i++) {
    await i;
    console.log('two', i);
  }
}
one().then(() => console.log('one done'));
two().then(() => console.log('two done'));
process.nextTick(() => console.log('tick'));
console.log('main');
