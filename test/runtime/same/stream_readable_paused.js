'use strict';
// 'readable' events and read().
const { Readable } = require('stream');
const log = (...a) => console.log(...a);
let n = 0;
const r = new Readable({ highWaterMark: 4, read(s) {
  log('read', s);
  if (n++ < 5)
    this.push('x' + n);
  else
    this.push(null);
} });
r.on('readable', () => {
  log('readable');
  let c;
  while ((c = r.read()) !== null)
    log('got', String(c));
});
r.on('end', () => log('end')).on('close', () => log('close'));
