'use strict';
// A write that fails, and what becomes of those behind it.
const { Writable } = require('stream');
const log = (...a) => console.log(...a);
const w = new Writable({ write(c, e, cb) {
  cb(new Error('boom'));
} });
w.on('error', (e) => log('error', e.message, w.destroyed, w.errored?.message)).on('finish', () => log('finish')).on('close', () => log('close', w.closed));
w.write('a', (e) => log('cb', e && e.message));
w.write('b', (e) => log('cb', e && e.message, e && e.code));
w.end((e) => log('end', e && e.message, e && e.code));
log('sync done', w.destroyed);
process.nextTick(() => log('tick'));
