'use strict';
// A flowing Readable: data, end and close among ticks and microtasks.
const { Readable } = require('stream');
const log = (...a) => console.log(...a);
const r = new Readable({ read() {
  log('read');
} });
r.on('data', (d) => log('data', String(d))).on('end', () => log('end', r.readableEnded)).on('close', () => log('close')).on('resume', () => log('resume')).on('pause', () => log('pause'));
r.push('a');
r.push('b');
process.nextTick(() => {
  log('tick');
  r.push('c');
  r.push(null);
});
Promise.resolve().then(() => log('micro'));
setImmediate(() => log('imm'));
log(r.readableFlowing, r.readableLength);
