'use strict';
// cork, uncork, unshift and partial reads.
const { Writable, Readable } = require('stream');
const log = (...a) => console.log(...a);
const w = new Writable({ write(c, e, cb) {
  log('write', String(c));
  cb();
}, writev(cs, cb) {
  log('writev', cs.map((c) => String(c.chunk)).join());
  cb();
} });
w.cork();
w.write('a');
w.write('b');
log(w.writableCorked, w.writableLength);
process.nextTick(() => w.uncork());
w.on('finish', () => log('finish'));
setImmediate(() => {
  w.cork();
  w.write('c');
  w.write('d');
  w.end();
});
const r = new Readable({ read() {
} });
r.push('abcdef');
log(String(r.read(2)));
r.unshift('zz');
log(String(r.read(3)), r.readableLength);
log(r.read(50));
r.on('readable', () => log('readable', r.readableLength));
r.pause();
log(r.isPaused());
r.resume();
