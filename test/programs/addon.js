// node addon.js ADDON: what an addon that uses libuv calls back with, on the main thread and
// on a worker. On standard error, which libuv it got.
'use strict';

const { Worker, isMainThread } = require('worker_threads');

const addon = require(process.argv[2]);
const who = isMainThread ? 'main' : 'worker';
process.stderr.write(`addon on libuv ${addon.version()}\n`);
addon.start((line) => {
  console.log(`${who}: ${line}`);
  if (line === 'closed' && isMainThread) new Worker(__filename, { argv: [process.argv[2]] });
});
