'use strict';
// The life of a file's streams among ticks, microtasks and immediates.
const fs = require('fs');
const os = require('os');
const path = require('path');
const name = path.join(os.tmpdir(), `rondo-order-${process.pid}`);
const log = (...args) => console.log(...args);
const w = fs.createWriteStream(name);
for (const event of ['open', 'ready', 'drain', 'finish', 'close'])
  w.on(event, () => {
    log('write:', event);
    process.nextTick(() => log('write: tick of', event));
  });
w.write('one', () => log('write: first callback'));
w.end('two', () => log('write: end callback'));
process.nextTick(() => log('tick'));
Promise.resolve().then(() => log('microtask'));
w.on('close', () => {
  const r = fs.createReadStream(name, { encoding: 'utf8' });
  for (const event of ['open', 'ready', 'data', 'end', 'close'])
    r.on(event, (value) => {
      log('read:', event, event === 'data' ? value : '');
      Promise.resolve().then(() => log('read: microtask of', event));
    });
  r.on('close', () => fs.unlinkSync(name));
});
