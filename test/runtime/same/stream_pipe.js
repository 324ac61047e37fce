'use strict';
// pipe with a slow reader.
const { Readable, Writable, PassThrough, Transform, pipeline, finished } = require('stream');
const log = (...a) => console.log(...a);
const r = new Readable({ read() {
} });
const w = new Writable({ highWaterMark: 2, write(c, e, cb) {
  log('w', String(c));
  setImmediate(cb);
} });
r.on('pause', () => log('pause')).on('resume', () => log('resume')).on('end', () => log('rend')).on('close', () => log('rclose'));
w.on('pipe', () => log('pipe')).on('unpipe', () => log('unpipe')).on('finish', () => log('finish')).on('close', () => log('wclose')).on('drain', () => log('drain'));
r.pipe(w);
r.push('abc');
r.push('def');
r.push(null);
