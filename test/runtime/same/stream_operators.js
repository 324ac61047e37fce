'use strict';
// Operators of Readable: their arguments, order, concurrency and ends.

const { Readable } = require('stream');

const of = (...items) => Readable.from(items);
const kind = (error) => `${error.name} ${error.code} ${error.message}`;
const after = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

async function tried(name, call) {
  try {
    console.log(name, await call());
  } catch (error) {
    console.log(name, error.code === undefined ? error.name : kind(error));
  }
}

async function main() {
  for (const name of ['map', 'filter', 'flatMap', 'forEach', 'some', 'every', 'find', 'reduce', 'toArray', 'drop', 'take', 'asIndexedPairs'])
    for (const args of [[], [5], [() => true, 5], [() => true, { concurrency: 0 }], [() => true, { concurrency: 'x' }], [() => true, { highWaterMark: -1 }],
      [() => true, { signal: 5 }], [() => true, 1, 5], [1, 5], [-1], ['x'], [1, { signal: true }], [() => true, null]])
      await tried(name, async () => {
        const result = await of(1).on('error', () => {})[name](...args);
        return result instanceof Readable ? result.on('error', () => {}).toArray() : result;
      });
  const log = [];
  const comes_after = { 1: 'begin 1', 2: 'end 3', 3: 'begin 2' };
  console.log(await of(3, 1, 2).map(async (x) => {
    log.push(`begin ${x}`);
    while (!log.includes(comes_after[x])) await after(1);
    log.push(`end ${x}`);
    return x * 2;
  }, { concurrency: 2 }).toArray(), log);
  let most = 0;
  let now = 0;
  await of(1, 2, 3, 4, 5, 6).forEach(async () => {
    most = Math.max(most, ++now);
    await after(1);
    now--;
  }, { concurrency: 3 });
  console.log('at a time', most);
  console.log(await of(1, 2, 3, 4).filter(async (x) => x % 2, { concurrency: 4 }).toArray(), await of(1, 2).flatMap((x) => [x, x]).toArray());
  console.log(await of(1, 2, 3).some((x) => x > 1), await of(1, 2, 3).every((x) => x > 1), await of(1, 2, 3).find((x) => x > 1), await of().reduce((a, b) => a + b, 7));
  console.log(await of(1, 2, 3).reduce((a, b) => a + b), await of('a', 'b').asIndexedPairs().toArray(), await of(1, 2, 3).drop(1).take(1).toArray());
  await tried('empty', () => of().reduce((a, b) => a));
  await tried('a function that throws', () => of(1, 2).map(() => { throw new Error('no'); }).toArray());
  await tried('a function that is rejected', () => of(1, 2).map(async (x) => { throw new Error(`no ${x}`); }, { concurrency: 2 }).toArray());
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 10);
  await tried('aborted', () => of(1, 2).map((x) => after(50, x), { signal: controller.signal }).toArray());
  await tried('aborted before', () => of(1, 2).toArray({ signal: AbortSignal.abort() }));
  await tried('aborted before, reduce', () => of(1, 2).reduce((a, b) => a, 0, { signal: AbortSignal.abort() }));
  const source = of(1, 2, 3);
  for await (const item of source.map((x) => x)) {
    console.log('first', item);
    break;
  }
  console.log(await require('stream/promises').finished(of(1).resume(), { cleanup: true }));
  await tried('finished', async () => require('stream/promises').finished(of(1), { cleanup: 2 }));
}
main();
