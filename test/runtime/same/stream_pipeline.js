'use strict';
// pipeline and finished, good and bad ends.
const { Readable, Writable, PassThrough, Transform, pipeline, finished } = require('stream');
const log = (...a) => console.log(...a);
pipeline(Readable.from(['a', 'b']), new PassThrough(), new Writable({ write(c, e, cb) {
  log(String(c));
  cb();
} }), (e) => log('done', e));
pipeline(new Readable({ read() {
  this.destroy(new Error('src'));
} }), new Writable({ write(c, e, cb) {
  cb();
} }).on('close', () => log('dst close')), (e) => log('err', e.message));
const s = new Readable({ read() {
  this.push('x');
} });
s.on('close', () => log('src closed'));
pipeline(s, new Writable({ write(c, e, cb) {
  cb(new Error('dst'));
} }), (e) => log('err2', e.message));
finished(new Readable({ read() {
} }).destroy(), (e) => log('fin', e && e.code));
const d = new PassThrough();
finished(d, (e) => log('fin2', e));
d.end();
d.resume();
require('stream/promises').pipeline(Readable.from('abc'), async function* (src) {
  for await (const c of src)
    yield String(c).toUpperCase();
}, new Writable({ write(c, e, cb) {
  log('P', String(c));
  cb();
} })).then(() => log('pp'));
