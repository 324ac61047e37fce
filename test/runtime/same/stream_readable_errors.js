'use strict';
// Destroying, pushing after the end, throwing in _read.
const { Readable } = require('stream');
const log = (...a) => console.log(...a);
const r = new Readable({ read() {
  this.push('a');
  this.push(null);
} });
r.on('error', (e) => log('error', e.message)).on('close', () => log('close')).on('end', () => log('end'));
r.destroy(new Error('boom'));
log(r.destroyed, r.readable);
r.push('x');
const r2 = new Readable({ read() {
} });
r2.on('error', (e) => log('e2', e.code, e.message)).on('close', () => log('close2')).on('data', (d) => log('d2', String(d)));
r2.push('a');
r2.push(null);
r2.push('b');
const r3 = new Readable({ read() {
  throw new Error('in read');
} });
r3.on('error', (e) => log('e3', e.message)).on('close', () => log('close3'));
r3.resume();
const r4 = new Readable();
r4.on('error', (e) => log('e4', e.code, e.message));
r4.resume();
const r5 = new Readable({ read() {
} });
r5.on('error', (e) => log('e5', e.code, e.message));
r5.push(5);
