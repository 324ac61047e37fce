'use strict';
// Large files and writes, many at once, and a long string.
const fs = require('fs');
const os = require('os');
const path = require('path');
const net = require('net');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-'));
const file = path.join(dir, 'big');
const text = 'é€😀x'.repeat(400000);
fs.writeFileSync(file, text);
console.log(fs.statSync(file).size, fs.readFileSync(file, 'utf8') === text);
(async () => {
  console.log((await fs.promises.readFile(file, 'utf8')) === text, (await fs.promises.readFile(file)).length);
  await fs.promises.writeFile(file + 2, Buffer.alloc(5000000, 7));
  console.log((await fs.promises.stat(file + 2)).size);
  const list = await Promise.all(Array.from({ length: 500 }, (unused, i) => fs.promises.writeFile(path.join(dir, `n${i}`), String(i))
    .then(() => fs.promises.readFile(path.join(dir, `n${i}`), 'utf8'))));
  console.log(list.length, list.every((value, i) => value === String(i)));
  console.log((await fs.promises.readdir(dir)).length);
  let bytes = 0;
  let pieces = '';
  for await (const chunk of fs.createReadStream(file, { encoding: 'utf8', highWaterMark: 1000 })) {
    bytes += Buffer.byteLength(chunk);
    pieces += chunk;
  }
  console.log(bytes, pieces === text);
  const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const echoes = await Promise.all(Array.from({ length: 50 }, (unused, i) => new Promise((resolve) => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let got = '';
    client.setEncoding('utf8').on('data', (more) => { got += more; }).on('close', () => resolve(got.length));
    client.end(String(i % 10).repeat(100000));
  })));
  console.log(echoes.every((length) => length === 100000));
  await new Promise((resolve) => {
    const client = net.connect(server.address().port, '127.0.0.1');
    let got = '';
    client.setEncoding('utf8').on('data', (more) => { got += more; }).on('close', () => {
      console.log(got === text);
      resolve();
    });
    client.end(text);
  });
  server.close();
  fs.rmSync(dir, { recursive: true });
})();
