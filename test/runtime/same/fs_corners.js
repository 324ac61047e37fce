'use strict';
// fs where it is asked for something odd: old ways of calling, options that are none, names
// that are no text, directories that are gone.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFileSync } = require('child_process');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-corners-'));
const at = (name) => path.join(dir, name);
process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));
const short = (text) => String(text).replaceAll(dir, 'DIR');
const log = (...args) => console.log(...args);
function tried(name, call) {
  try {
    log(name, call());
  } catch (error) {
    log(name, error.name, error.code, short(error.message));
  }
}

// Calls without `new`, and on other objects.
fs.writeFileSync(at('f'), 'hello');
tried('ReadStream()', () => fs.ReadStream(at('f')).resume() instanceof fs.ReadStream);
tried('WriteStream()', () => fs.WriteStream(at('g')).end('x') instanceof fs.WriteStream);
function Own(...args) {
  fs.ReadStream.apply(this, args);
}
Object.setPrototypeOf(Own.prototype, fs.ReadStream.prototype);
Own.prototype.open = function () {
  fs.open(this.path, this.flags, this.mode, (error, fd) => {
    this.fd = fd;
    this.emit('open', fd);
    this.read();
  });
};
new Own(at('f')).on('data', (data) => process.on('exit', () => log('own stream', String(data))));
const stats = Object.create(fs.Stats.prototype);
fs.Stats.call(stats, ...Array.from({ length: 14 }, (_, i) => i));
log(stats.size, stats.isFile(), stats.atime.getTime());

// Options.
tried('flag undefined', () => {
  fs.writeFileSync(at('f'), 'a', { flag: undefined });
  fs.appendFileSync(at('f'), 'b', { flag: null });
  return fs.readFileSync(at('f'), { encoding: 'utf8', flag: undefined });
});
tried('inherited', () => fs.readFileSync(at('f'), Object.create({ encoding: 'latin1' })));
tried('flush', () => fs.writeFileSync(at('f'), 'ab', { flush: true }));
tried('bad flush', () => fs.writeFileSync(at('f'), 'ab', { flush: 1 }));
for (const [name, value, call] of [
  ['encoding', 'hex', () => fs.readdirSync(dir).sort().join()],
  ['recursive', true, () => fs.mkdirSync(at('no/such'))],
  ['withFileTypes', true, () => typeof fs.readdirSync(dir)[0]],
  ['flag', 'w', () => fs.readFileSync(at('f')).length],
  ['bigint', true, () => typeof fs.statSync(at('f')).size],
  ['throwIfNoEntry', false, () => fs.statSync(at('nothing'))],
  ['force', true, () => fs.rmSync(at('nothing'))],
  ['signal', 5, () => fs.readFileSync(at('f')).length],
]) {
  Object.prototype[name] = value;
  try {
    tried(`Object.prototype.${name}`, call);
  } finally {
    delete Object.prototype[name];
  }
}

// Arguments.
const fd = fs.openSync(at('f'), 'r+');
const none = () => {};
for (const [name, call] of Object.entries({
  'readv []': () => fs.readvSync(fd, []),
  'writev []': () => fs.writevSync(fd, []),
  'readv': () => fs.readvSync(fd, 5),
  'read no callback': () => fs.read(fd),
  'read callback': () => fs.read(fd, Buffer.alloc(3), { offset: 1 }, 5),
  'readSync none': () => fs.readSync(fd),
  'readSync null': () => fs.readSync(fd, null),
  'readSync empty': () => fs.readSync(fd, new Uint8Array(0), 0, 1, 0),
  'read position': () => fs.read(fd, Buffer.alloc(4), 0, 4, 'x', none),
  'read big position': () => fs.readSync(fd, Buffer.alloc(4), 0, 4, 2n ** 63n),
  'read low position': () => fs.readSync(fd, Buffer.alloc(4), 0, 4, -2n),
  'read length': () => fs.readSync(fd, Buffer.alloc(4), 1, 4, 0),
  'write none': () => fs.write(fd),
  'write callback': () => fs.write(fd, 'x'),
  'write object': () => fs.writeSync(fd, {}),
  'close callback': () => fs.close(fd, 5),
  'symlink type': () => fs.symlinkSync('a', at('l'), 'x'),
  'rm options': () => fs.rmSync(at('x'), 5),
  'rm force': () => fs.rmSync(at('x'), { force: 5 }),
  'rmdir options': () => fs.rmdirSync(at('x'), { recursive: 1 }),
  'cp recursive': () => fs.cpSync('a', 'b', { recursive: 1 }),
  'cp filter': () => fs.cpSync('a', 'b', { filter: 1 }),
  'cp mode': () => fs.cpSync('a', 'b', { mode: 99 }),
  'readdir recursive': () => fs.readdirSync(dir, { recursive: 1 }),
  'mkdir recursive': () => fs.mkdirSync(dir, { recursive: 1 }),
  'encoding': () => fs.readFileSync(at('f'), 'nope'),
  'signal': () => fs.readFile(at('f'), { signal: 5 }, none),
  'stream fs': () => fs.createReadStream(at('f'), { fs: { open: 5 } }),
  'stream write': () => fs.createWriteStream(at('f'), { fs: { open: none, close: none } }),
  'stream fd': () => fs.createReadStream(null, { fd: {} }),
  'stream range': () => fs.createReadStream(at('f'), { start: 5, end: 2 }),
  'stream flush': () => fs.createWriteStream(at('f'), { flush: 5 }),
  'timestamp': () => fs._toUnixTimestamp({}),
}))
  tried(name, call);
fs.closeSync(fd);

// Names that are no UTF-8.
const odd = at('odd');
fs.mkdirSync(path.join(odd, 'b'), { recursive: true });
fs.writeFileSync(Buffer.concat([Buffer.from(`${odd}/b/`), Buffer.from([0xff, 0xfe, 0x41])]), 'x');
fs.mkdirSync(Buffer.concat([Buffer.from(`${odd}/`), Buffer.from([0xf0, 0x41])]));
log('bytes', fs.readdirSync(odd, 'latin1').join());
fs.rmSync(odd, { recursive: true });
log('removed', fs.existsSync(odd));

// Links to directories.
fs.mkdirSync(at('t/a/b'), { recursive: true });
fs.writeFileSync(at('t/a/x'), '');
fs.symlinkSync(at('t/a'), at('t/l'));
log('names', fs.readdirSync(at('t'), { recursive: true }).sort().join());
log('entries', fs.readdirSync(at('t'), { recursive: true, withFileTypes: true }).map((e) => e.name).sort().join());
const open = fs.opendirSync(at('t'), { recursive: true });
const seen = [];
for (let entry; (entry = open.readSync()) !== null;) seen.push(`${path.basename(entry.path)}/${entry.name}`);
open.closeSync();
log('opendir', seen.sort().join().replaceAll(path.basename(dir), 'DIR'));

// A pipe has no name, but it can be asked for one.
log('pipe', execFileSync(process.execPath, ['-e', 'console.log(require("fs").realpathSync("/dev/stdin").includes(":["))'], { input: 'x' }).toString().trim());

// A directory that is gone.
const gone = at('gone');
fs.mkdirSync(gone);
const before = process.cwd();
process.chdir(gone);
fs.rmdirSync(gone);
tried('mkdir below nothing', () => fs.mkdirSync('X', { recursive: true }));
fs.mkdir('X', { recursive: true }, (error) => {
  log('mkdir below nothing', error.code);
  process.chdir(before);
  later();
});

function later() {
  const bad = fs.createReadStream(null, { fd: 13337, autoClose: false });
  bad.on('data', none).on('error', (error) => setImmediate(() => {
    log(error.code, bad.closed, bad.destroyed, bad.path);
    handles();
  }));
}

async function handles() {
  const handle = await fs.promises.open(at('f'), 'r+');
  const stream = handle.createReadStream();
  await Promise.all([new Promise((done) => stream.on('close', done)), handle.close()]);
  log('both closed');
  for (const [name, ...args] of [['stat'], ['read'], ['readv', []], ['write', 'x'], ['writev', []], ['chmod', 0o600], ['chown', 1, 1],
    ['truncate'], ['utimes', 1, 1], ['sync'], ['datasync'], ['readFile'], ['writeFile', 'x'], ['appendFile', 'x']])
    await handle[name](...args).then(() => log(name), (error) => log(name, error.code, error.syscall));
  await fs.promises.rm(at('none')).catch((error) => log(error.code));
  for (const options of [5, { persistent: 5 }, { recursive: 5 }, { signal: 5 }])
    await fs.promises.watch(dir, options).next().catch((error) => log(error.code, error.message));
  // A callback has no `this`.
  fs.stat(dir, function () {
    log('stat', this);
    fs.readFile(at('f'), function () { log('readFile', this); });
  });
}
