'use strict';
// Both halves of a Duplex, half-open or not, constructed late.
const { Duplex } = require('stream');
const log = (...a2) => console.log(...a2);
const mk = (n, o) => {
  const d2 = new Duplex({ read() {
  }, write(c2, e2, cb) {
    log(n, 'write', String(c2));
    cb();
  }, final(cb) {
    log(n, 'final');
    cb();
  }, destroy(e2, cb) {
    log(n, 'destroy', e2 && e2.message);
    cb(e2);
  }, ...o });
  for (const ev of ['end', 'finish', 'close', 'error', 'prefinish'])
    d2.on(ev, (x) => log(n, ev, x && x.message));
  return d2;
};
const a = mk('a');
a.on('data', () => {
});
a.push('x');
a.push(null);
a.end('q');
const b = mk('b', { allowHalfOpen: false });
b.resume();
b.push(null);
const c = mk('c');
c.resume();
c.push(null);
const d = mk('d');
d.end();
const e = mk('e');
e.destroy(new Error('x'));
const f = mk('f', { construct(cb) {
  log('f construct');
  setImmediate(() => {
    log('f constructed');
    cb();
  });
} });
f.write('1');
f.end('2');
f.resume();
f.push(null);
