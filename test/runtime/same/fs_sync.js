'use strict';
// The synchronous forms, and what bad arguments give.
const fs = require('fs');
const os = require('os');
const path = require('path');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-'));
const file = (name) => path.join(dir, name);
const clean = (text) => String(text).split(dir).join('DIR');
let n = 0;
function run(call) {
  n++;
  try {
    const result = call();
    console.log(n, typeof result === 'string' ? clean(result) : result);
  } catch (error) {
    console.log(n, error.name, clean(error.message), error.code, error.errno, error.syscall, error.path && clean(error.path));
  }
}
run(() => fs.writeFileSync(file('a'), 'abc'));
run(() => fs.appendFileSync(file('a'), 'def'));
run(() => fs.readFileSync(file('a'), 'utf8'));
run(() => fs.readFileSync(file('a')));
run(() => fs.readFileSync(file('a'), 'base64'));
run(() => fs.readFileSync('/proc/self/comm').length > 0);
run(() => fs.existsSync(file('a')));
run(() => fs.existsSync(file('b')));
run(() => fs.existsSync());
run(() => fs.statSync(file('a')).size);
run(() => fs.statSync(file('b')));
run(() => fs.statSync(file('b'), { throwIfNoEntry: false }));
run(() => typeof fs.statSync(file('a'), { bigint: true }).mtimeNs);
run(() => Object.keys(fs.statSync(file('a'))).join());
run(() => fs.openSync(file('b')));
run(() => {
  const fd = fs.openSync(file('a'), 'a+');
  const buffer = Buffer.alloc(4);
  const result = [fs.writeSync(fd, 'ghi'), fs.readSync(fd, buffer, 0, 4, 2), buffer.toString(), fs.fstatSync(fd).size,
    fs.readSync(fd, buffer, { position: 0, length: 2 }), buffer.toString()];
  fs.closeSync(fd);
  return result.join();
});
run(() => {
  const fd = fs.openSync(file('v'), 'w+');
  const out = [Buffer.alloc(2), Buffer.alloc(3)];
  const result = [fs.writevSync(fd, [Buffer.from('12'), Buffer.from('345')]), fs.readvSync(fd, out, 0), out.join('|')];
  fs.closeSync(fd);
  return result.join();
});
run(() => fs.closeSync(54321));
run(() => fs.readSync(54321, Buffer.alloc(1)));
run(() => fs.mkdirSync(file('p/q/r'), { recursive: true }));
run(() => fs.mkdirSync(file('p/q/r'), { recursive: true }));
run(() => fs.mkdirSync(file('a'), { recursive: true }));
run(() => fs.mkdirSync(file('p')));
run(() => fs.readdirSync(dir).join());
run(() => fs.readdirSync(dir, 'buffer').length);
run(() => fs.rmdirSync(file('p')));
run(() => fs.rmSync(file('p')));
run(() => fs.rmSync(file('p'), { recursive: true }));
run(() => fs.renameSync(file('nope'), file('other')));
run(() => fs.symlinkSync('a', file('s')));
run(() => fs.readlinkSync(file('s')));
run(() => fs.readlinkSync(file('s'), 'buffer'));
run(() => fs.lstatSync(file('s')).isSymbolicLink());
run(() => fs.realpathSync(file('s')));
run(() => fs.realpathSync(file('no/way')));
run(() => fs.accessSync(file('no')));
run(() => fs.truncateSync(file('a'), 2));
run(() => fs.readFileSync(file('a'), 'utf8'));
run(() => fs.copyFileSync(file('a'), file('a2')));
run(() => fs.readFileSync(file('a2'), 'utf8'));
run(() => fs.utimesSync(file('a'), new Date(5000), '7'));
run(() => [fs.statSync(file('a')).atimeMs, fs.statSync(file('a')).mtimeMs].join());
run(() => { const d = fs.opendirSync(dir); const names = []; for (let e; (e = d.readSync());) names.push(e.name); d.closeSync(); return names.sort().join(); });
run(() => { const d = fs.opendirSync(dir); d.closeSync(); d.readSync(); });
// bad arguments
run(() => fs.openSync(5));
run(() => fs.openSync('a\0b'));
run(() => fs.openSync('a', 'zz'));
run(() => fs.readFileSync('a', 'nonsense'));
run(() => fs.readFileSync());
run(() => fs.readFile('a'));
run(() => fs.readFile('a', 'utf8'));
run(() => fs.writeFileSync(file('a'), 5));
run(() => fs.writeFileSync(file('a'), {}));
run(() => fs.readSync('a'));
run(() => fs.readSync(0, 'a'));
run(() => fs.readSync(0, Buffer.alloc(3), 5, 1));
run(() => fs.readSync(0, Buffer.alloc(3), 0, 9));
run(() => fs.writeSync(1, {}));
run(() => fs.chmodSync(file('a'), '99'));
run(() => fs.chmodSync(file('a')));
run(() => fs.accessSync(file('a'), 9));
run(() => fs.mkdtempSync(9));
run(() => fs.unlinkSync(null));
run(() => fs.utimesSync(file('a'), {}, 1));
run(() => fs.closeSync(-1));
run(() => fs.closeSync(1.5));
run(() => fs.createReadStream(5));
run(() => fs.createReadStream('a', { start: 5, end: 2 }));
run(() => fs.createReadStream('a', { start: 'x' }));
run(() => fs.watch());
run(() => fs.unlink('x'));
run(() => fs.stat('x', 5));
fs.rmSync(dir, { recursive: true });
