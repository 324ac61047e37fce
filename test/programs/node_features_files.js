// Files: callbacks, promises, streams, directories, watching, errors.
'use strict';
/* global feature, failure, sleep */

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { pipeline } = require('stream/promises');
const { promisify } = require('util');
const zlib = require('zlib');

const hash = (file) => crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 16);
const outcome = (promise) => promise.then((value) => (value === undefined ? 'done' : value), failure);

feature('callbacks: the life of a file', async () => {
  const call = (name, ...rest) => promisify(fs[name])(...rest);
  const seen = [];
  await call('writeFile', 'life', 'first\n');
  await call('appendFile', 'life', 'second\n');
  seen.push(await call('readFile', 'life', 'utf8'));
  await call('rename', 'life', 'moved');
  await call('copyFile', 'moved', 'copied');
  await call('link', 'moved', 'linked');
  await call('symlink', 'moved', 'pointing');
  seen.push(await call('readlink', 'pointing'));
  seen.push(path.basename(await call('realpath', 'pointing')));
  seen.push(path.basename(await promisify(fs.realpath.native)('pointing')));
  await call('chmod', 'copied', 0o640);
  await call('utimes', 'copied', 1000, 2000.5);
  await call('truncate', 'copied', 3);
  const stat = await call('stat', 'copied');
  seen.push([stat.mode & 0o777, stat.mtimeMs > 0, stat.size, stat.isFile(), stat.nlink]);
  seen.push((await call('lstat', 'pointing')).isSymbolicLink());
  await call('access', 'moved', fs.constants.R_OK);
  seen.push((await call('statfs', '.').catch(() => ({ bsize: 1 }))).bsize > 0);
  for (const name of ['moved', 'copied', 'linked', 'pointing']) await call('unlink', name);
  return seen;
});

feature('times are kept', async () => {
  await fs.promises.writeFile('times', '');
  await fs.promises.utimes('times', 1234567890.25, 1234567890.75);
  const { atimeMs, mtimeMs } = await fs.promises.stat('times');
  const big = await fs.promises.stat('times', { bigint: true });
  await fs.promises.symlink('times', 'times-link');
  await fs.promises.lutimes('times-link', 1000, 2000);
  const link = await fs.promises.lstat('times-link');
  return [atimeMs, mtimeMs, String(big.mtimeNs), link.mtimeMs];
});

feature('errors name the call', async () => {
  await fs.promises.mkdir('full/inner', { recursive: true });
  return Promise.all([
    outcome(fs.promises.readFile('missing')), outcome(fs.promises.open('missing/x')),
    outcome(fs.promises.rmdir('full')), outcome(fs.promises.mkdir('full')),
    outcome(fs.promises.readdir('missing')), outcome(fs.promises.stat('x'.repeat(300))),
    outcome(fs.promises.unlink('full')), outcome(fs.promises.readlink('full')),
    outcome(fs.promises.copyFile('missing', 'y')), outcome(fs.promises.access('missing')),
    outcome(fs.promises.rename('missing', 'y')), outcome(fs.promises.realpath('missing')),
    outcome(fs.promises.readFile('full')), outcome(fs.promises.symlink('a', 'full')),
  ]);
});

feature('promises: a file handle', async () => {
  const file = await fs.promises.open('handle', 'w+', 0o600);
  const wrote = await file.write(Buffer.from('0123456789'), 0, 10, 0);
  await file.writev([Buffer.from('ab'), Buffer.from('cd')], 10);
  const parts = [Buffer.alloc(4), Buffer.alloc(4)];
  const read = await file.readv(parts, 2);
  const middle = await file.read(Buffer.alloc(5), 0, 5, 5);
  await file.datasync();
  await file.sync();
  await file.truncate(7);
  await file.chmod(0o644);
  const { size, mode } = await file.stat();
  const end = await file.read(Buffer.alloc(4), 0, 4, 100);
  await file.close();
  return [wrote.bytesWritten, read.bytesRead, parts.join('|'), middle.buffer.toString(), size, mode & 0o777, end.bytesRead];
});

feature('promises: four hundred files at once', async () => {
  await fs.promises.mkdir('many');
  const names = Array.from({ length: 400 }, (_, i) => `many/${String(i).padStart(3, '0')}`);
  await Promise.all(names.map((name, i) => fs.promises.writeFile(name, String(i).repeat(i))));
  const texts = await Promise.all(names.map((name) => fs.promises.readFile(name, 'utf8')));
  const right = texts.filter((text, i) => text === String(i).repeat(i)).length;
  const listed = await fs.promises.readdir('many', { withFileTypes: true });
  let walked = 0;
  for await (const entry of await fs.promises.opendir('many')) walked += entry.isFile();
  await fs.promises.rm('many', { recursive: true });
  return [right, listed.length, listed.every((entry) => entry.isFile()), walked, fs.existsSync('many')];
});

feature('reading without waiting keeps its order', async () => {
  const file = await fs.promises.open('ordered', 'w+');
  await file.write('abcdefghijklmnopqrstuvwxyz');
  const reads = [];
  for (let i = 0; i < 26; i++) reads.push(file.read(Buffer.alloc(1), 0, 1, i));
  const letters = (await Promise.all(reads)).map((result) => result.buffer.toString()).join('');
  await file.close();
  return letters;
});

feature('streams: a file through gzip and back', async () => {
  const source = fs.createWriteStream('big');
  for (let i = 0; i < 200; i++) {
    if (!source.write(Buffer.alloc(16384 + i, i & 255))) await new Promise((resolve) => source.once('drain', resolve));
  }
  await new Promise((resolve) => source.end(resolve));
  await pipeline(fs.createReadStream('big'), zlib.createGzip({ level: 1 }), fs.createWriteStream('big.gz'));
  await pipeline(fs.createReadStream('big.gz'), zlib.createGunzip(), fs.createWriteStream('again'));
  const part = [];
  for await (const chunk of fs.createReadStream('big', { start: 16380, end: 16390 })) part.push(chunk);
  return [fs.statSync('big').size, hash('big') === hash('again'), Buffer.concat(part).toString('hex')];
});

feature('directories: made, copied, removed', async () => {
  await fs.promises.mkdir('tree/a/b/c', { recursive: true });
  await fs.promises.writeFile('tree/a/b/c/leaf', 'leaf');
  await fs.promises.cp('tree', 'copy', { recursive: true });
  const made = await fs.promises.mkdtemp('temporary-');
  const kept = await fs.promises.readFile('copy/a/b/c/leaf', 'utf8');
  await fs.promises.rm('tree', { recursive: true });
  await fs.promises.rm('copy', { recursive: true });
  await fs.promises.rmdir(made);
  return [kept, made.length, fs.existsSync('tree')];
});

feature('synchronous calls', async () => {
  fs.mkdirSync('sync');
  fs.writeFileSync('sync/file', 'x'.repeat(5000));
  const descriptor = fs.openSync('sync/file', 'r+');
  const buffer = Buffer.alloc(10);
  const read = fs.readSync(descriptor, buffer, 0, 10, 4995);
  fs.ftruncateSync(descriptor, 100);
  fs.closeSync(descriptor);
  const { size } = fs.statSync('sync/file');
  const missing = fs.statSync('sync/none', { throwIfNoEntry: false });
  const names = fs.readdirSync('sync');
  fs.rmSync('sync', { recursive: true });
  return [read, size, missing === undefined, names];
});

feature('watching a directory', async () => {
  fs.mkdirSync('watched');
  const seen = new Set();
  const watcher = fs.watch('watched', (kind, name) => seen.add(`${kind} ${name}`));
  await sleep(20);
  await fs.promises.writeFile('watched/new', '1');
  await sleep(20);
  await fs.promises.rename('watched/new', 'watched/renamed');
  await fs.promises.unlink('watched/renamed');
  for (let i = 0; i < 100 && seen.size < 3; i++) await sleep(10);
  await sleep(20);
  watcher.close();
  return [...seen].sort();
});

feature('watching a file by polling', async () => {
  await fs.promises.writeFile('polled', 'a');
  const changed = new Promise((resolve) => {
    fs.watchFile('polled', { interval: 20 }, (now, before) => resolve([now.size, before.size]));
  });
  await sleep(60);
  // In one step, lest the poll see the file between being emptied and being written.
  await fs.promises.writeFile('polled-next', 'abc');
  await fs.promises.rename('polled-next', 'polled');
  const sizes = await changed;
  fs.unwatchFile('polled');
  return sizes;
});

feature('an aborted read', async () => {
  const control = new AbortController();
  const reading = outcome(fs.promises.readFile('big', { signal: control.signal }));
  control.abort();
  return reading;
});
