'use strict';
// Writes that end later, gathered by writev.
const { Writable } = require('stream');
const log = (...a) => console.log(...a);
const w = new Writable({ write(c, e, cb) {
  log('write', String(c));
  setImmediate(cb);
}, writev(cs, cb) {
  log('writev', cs.length);
  setImmediate(cb);
} });
w.on('drain', () => log('drain')).on('finish', () => log('finish')).on('close', () => log('close'));
w.write('a', () => log('cb a'));
w.write('b', () => log('cb b'));
w.write('c', () => log('cb c'));
w.end(() => log('end cb'));
