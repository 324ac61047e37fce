'use strict';
// The callback forms of fs: arguments of the callbacks, errors with all their properties.
const fs = require('fs');
const os = require('os');
const path = require('path');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-'));
const file = (name) => path.join(dir, name);
const clean = (text) => String(text).split(dir).join('DIR').replace(/\/t-\w{6}/g, '/t-XXXXXX');
const show = (name) => (...args) => {
  console.log(name, args.length, ...args.map((arg) => {
    if (arg instanceof Error) return clean(JSON.stringify({ message: arg.message, ...arg }));
    if (arg instanceof fs.Stats) return `stats of ${arg.size} bytes, file ${arg.isFile()}, mode ${(arg.mode & 0o777).toString(8)}`;
    if (typeof arg === 'string') return clean(arg);
    return arg;
  }));
  next();
};
const steps = [
  (cb) => fs.writeFile(file('a'), 'hello', cb),
  (cb) => fs.appendFile(file('a'), Buffer.from(' world'), cb),
  (cb) => fs.readFile(file('a'), cb),
  (cb) => fs.readFile(file('a'), 'utf8', cb),
  (cb) => fs.readFile(file('a'), { encoding: 'hex' }, cb),
  (cb) => fs.readFile(file('missing'), cb),
  (cb) => fs.readFile(dir, cb),
  (cb) => fs.writeFile(file('no/such/dir'), 'x', cb),
  (cb) => fs.writeFile(file('a'), 'x', { flag: 'wx' }, cb),
  (cb) => fs.writeFile(file('m'), 'x', { mode: 0o600 }, cb),
  (cb) => fs.stat(file('m'), cb),
  (cb) => fs.chmod(file('m'), 0o640, cb),
  (cb) => fs.stat(file('m'), cb),
  (cb) => fs.stat(file('missing'), cb),
  (cb) => fs.lstat(file('missing'), cb),
  (cb) => fs.access(file('a'), cb),
  (cb) => fs.access(file('missing'), fs.constants.R_OK, cb),
  (cb) => fs.exists(file('a'), cb),
  (cb) => fs.exists(file('missing'), cb),
  (cb) => fs.mkdir(file('d'), cb),
  (cb) => fs.mkdir(file('d'), cb),
  (cb) => fs.mkdir(file('x/y/z'), cb),
  (cb) => fs.mkdir(file('x/y/z'), { recursive: true }, cb),
  (cb) => fs.mkdir(file('x/y/z'), { recursive: true }, cb),
  (cb) => fs.mkdir(file('a/b'), { recursive: true }, cb),
  (cb) => fs.rename(file('a'), file('b'), cb),
  (cb) => fs.rename(file('a'), file('b'), cb),
  (cb) => fs.copyFile(file('b'), file('c'), cb),
  (cb) => fs.copyFile(file('b'), file('c'), fs.constants.COPYFILE_EXCL, cb),
  (cb) => fs.copyFile(file('missing'), file('c'), cb),
  (cb) => fs.symlink('b', file('l'), cb),
  (cb) => fs.symlink('b', file('l'), cb),
  (cb) => fs.readlink(file('l'), cb),
  (cb) => fs.readlink(file('b'), cb),
  (cb) => fs.realpath(file('l'), cb),
  (cb) => fs.realpath(file('missing'), cb),
  (cb) => fs.realpath.native(file('missing'), cb),
  (cb) => fs.link(file('b'), file('h'), cb),
  (cb) => fs.link(file('missing'), file('h2'), cb),
  (cb) => fs.truncate(file('h'), 3, cb),
  (cb) => fs.readFile(file('b'), 'latin1', cb),
  (cb) => fs.utimes(file('b'), 1000, 2000, cb),
  (cb) => fs.stat(file('b'), (error, stats) => cb(error, stats.atimeMs, stats.mtimeMs, stats.mtime.toISOString())),
  (cb) => fs.readdir(dir, (error, names) => cb(error, names.sort().join())),
  (cb) => fs.readdir(dir, { withFileTypes: true }, (error, list) =>
    cb(error, list.map((e) => `${e.name}:${e.isFile() ? 'f' : e.isDirectory() ? 'd' : e.isSymbolicLink() ? 'l' : '?'}`).sort().join())),
  (cb) => fs.readdir(dir, { recursive: true }, (error, names) => cb(error, names.sort().join())),
  (cb) => fs.readdir(file('missing'), cb),
  (cb) => fs.readdir(file('b'), cb),
  (cb) => fs.mkdtemp(file('t-'), cb),
  (cb) => fs.mkdtemp(file('none/t-'), cb),
  (cb) => fs.rmdir(file('x'), cb),
  (cb) => fs.rmdir(file('missing'), cb),
  (cb) => fs.unlink(file('missing'), cb),
  (cb) => fs.unlink(file('l'), cb),
  (cb) => fs.rm(file('missing'), cb),
  (cb) => fs.rm(file('missing'), { force: true }, cb),
  (cb) => fs.rm(file('x'), { recursive: true }, cb),
  (cb) => fs.open(file('b'), 'r+', (error, fd) => {
    fs.write(fd, 'HEY', 0, (e1, n, text) => fs.read(fd, Buffer.alloc(8), 0, 8, 0, (e2, m, buffer) => {
      fs.fstat(fd, (e3, stats) => fs.ftruncate(fd, 1, (e4) => fs.fsync(fd, (e5) => fs.close(fd, (e6) =>
        cb(error, e1, n, text, e2, m, buffer, e3, stats, e4, e5, e6)))));
    }));
  }),
  (cb) => fs.open(file('missing'), cb),
  (cb) => fs.close(987654, cb),
  (cb) => fs.read(987654, Buffer.alloc(1), 0, 1, 0, cb),
  (cb) => fs.opendir(file('missing'), cb),
  (cb) => fs.cp(dir, file('copy'), { recursive: true, filter: (from) => !from.includes('copy') }, (error) => cb(error && error.code)),
  (cb) => fs.rm(dir, { recursive: true, force: true }, cb),
];
let at = 0;
function next() {
  if (at === steps.length) return;
  const step = steps[at++];
  step(show(at));
}
next();
