'use strict';
// for await over streams, and the operators.
const { Readable } = require('stream');
const log = (...a) => console.log(...a);
(async () => {
  for await (const c of Readable.from(['a', 'b', 'c']))
    log(c);
  const r = Readable.from([1, 2, 3]);
  r.on('close', () => log('close'));
  for await (const c of r) {
    log(c);
    break;
  }
  log(r.destroyed);
  try {
    for await (const c of new Readable({ read() {
      this.destroy(new Error('x'));
    } }))
      log(c);
  } catch (e) {
    log('caught', e.message);
  }
  const s = new Readable({ read() {
  } });
  s.setEncoding('utf8');
  s.push(Buffer.from([226, 130]));
  s.push(Buffer.from([172]));
  s.push(null);
  let t = '';
  for await (const c of s)
    t += c;
  log(t);
  async function* g() {
    yield 'x';
    yield 'y';
  }
  const f = Readable.from(g());
  log(await f.toArray());
  log(await Readable.from([1, 2, 3, 4]).filter((x) => x % 2).map((x) => x * 2).toArray());
})();
