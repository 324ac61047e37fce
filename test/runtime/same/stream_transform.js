'use strict';
// Transform and flush.
const { Readable, Writable, PassThrough, Transform, pipeline, finished } = require('stream');
const log = (...a) => console.log(...a);
const t = new Transform({ transform(c, e, cb) {
  log('t', String(c));
  cb(null, String(c).toUpperCase());
}, flush(cb) {
  log('flush');
  this.push('!');
  cb();
} });
t.on('data', (d) => log('data', String(d))).on('end', () => log('end')).on('finish', () => log('finish')).on('close', () => log('close')).on('prefinish', () => log('prefinish'));
t.write('a', () => log('cb'));
t.write('b');
t.end('c');
process.nextTick(() => log('tick'));
