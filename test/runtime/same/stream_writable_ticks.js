'use strict';
// Writes that end at once: callbacks, drain, final, finish and close among ticks and microtasks.
const { Writable } = require('stream');
const log = (...a) => console.log(...a);
const w = new Writable({ highWaterMark: 3, write(c, e, cb) {
  log('write', String(c));
  cb();
}, final(cb) {
  log('final');
  cb();
} });
w.on('drain', () => log('drain')).on('finish', () => log('finish')).on('close', () => log('close')).on('prefinish', () => log('prefinish'));
log(w.write('abcd', () => log('cb1')));
log(w.write('e', () => log('cb2')));
w.end('f', () => log('endcb'));
process.nextTick(() => log('tick'));
Promise.resolve().then(() => log('micro'));
setImmediate(() => log('imm'));
log(w.writableLength, w.writableEnded, w.writableFinished, w.writableNeedDrain);
