'use strict';
// fs.promises and FileHandle.
const fs = require('fs/promises');
const os = require('os');
const path = require('path');

(async () => {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'rondo-'));
  const file = (name) => path.join(dir, name);
  const clean = (text) => String(text).split(dir).join('DIR');
  const fails = async (promise) => {
    try {
      await promise;
      console.log('no error');
    } catch (error) {
      console.log(error.name, clean(error.message), error.code, error.syscall);
    }
  };
  console.log(await fs.writeFile(file('a'), 'hello'));
  console.log(await fs.readFile(file('a'), 'utf8'), await fs.readFile(file('a')));
  await fs.appendFile(file('a'), ' there');
  await fs.writeFile(file('gen'), (function* () { yield 'one '; yield 'two'; })());
  console.log(await fs.readFile(file('gen'), { encoding: 'utf8' }));
  await fails(fs.readFile(file('none')));
  await fails(fs.readFile(dir));
  await fails(fs.readFile(5.5));
  await fails(fs.stat(file('none')));
  await fails(fs.access(file('none')));
  await fails(fs.mkdir(file('x/y')));
  await fails(fs.open(file('none')));
  await fails(fs.open(file('a'), 'zz'));
  await fails(fs.rm(file('none')));
  await fails(fs.rename(file('none'), file('b')));
  await fails(fs.readdir(file('none')));
  await fails(fs.writeFile(file('a'), 5));
  await fails(fs.unlink(dir + '/none'));
  console.log(clean(await fs.mkdir(file('x/y'), { recursive: true })));
  console.log((await fs.readdir(dir, { recursive: true })).sort().join());
  console.log((await fs.stat(file('a'))).size, (await fs.lstat(file('x'))).isDirectory());

  const handle = await fs.open(file('a'), 'r+');
  console.log(typeof handle.fd);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(5), 0, 5, 0);
  console.log(bytesRead, buffer.toString());
  console.log((await handle.read({ buffer: Buffer.alloc(3), position: 1 })).buffer.toString());
  console.log((await handle.write('HE', 0)).bytesWritten, (await handle.write(Buffer.from('xyz'), 1, 1, 4)).bytesWritten);
  console.log((await handle.stat()).size, await handle.readFile('utf8'));
  await handle.truncate(3);
  await handle.sync();
  await handle.chmod(0o600);
  console.log((await handle.stat()).size);
  handle.on('close', () => console.log('handle closed'));
  console.log(await handle.close(), handle.fd);
  await fails(handle.read(Buffer.alloc(1)));
  console.log(await handle.close());

  const names = [];
  for await (const entry of await fs.opendir(dir)) names.push(`${entry.name}${entry.isDirectory() ? '/' : ''}`);
  console.log(names.sort().join());
  const control = new AbortController();
  control.abort();
  await fails(fs.readFile(file('a'), { signal: control.signal }));
  console.log(await fs.readFile(file('a'), 'utf8'));
  await fs.rm(dir, { recursive: true });
  await fails(fs.access(dir));
})();
