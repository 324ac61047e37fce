'use strict';
// Native code finds the right bytes of every kind of view. A view into a WebAssembly memory
// comes first: what is learned of it must not be believed of the others.
const fs = require('fs');
const os = require('os');
const path = require('path');
const dgram = require('dgram');
const net = require('net');
const { spawn, spawnSync } = require('child_process');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-bytes-'));
const file = path.join(dir, 'f');
const TEXT = '0123456789abcdef';
process.on('exit', () => fs.rmSync(dir, { recursive: true }));

// Buffers with TEXT in them, by name.
const filled = (buffer) => {
  new Uint8Array(buffer).set(Buffer.from(TEXT));
  return buffer;
};
const memory = new WebAssembly.Memory({ initial: 1 });
const kinds = {
  wasm: () => filled(memory.buffer),
  'shared wasm': () => filled(new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true }).buffer),
  plain: () => filled(new ArrayBuffer(16)),
  large: () => filled(new ArrayBuffer(100000)),
  resizable: () => filled(new ArrayBuffer(16, { maxByteLength: 64 })),
  shared: () => filled(new SharedArrayBuffer(16)),
  pooled: () => Buffer.from(TEXT).buffer,
};
const views = (buffer, base) => [
  ['bytes at 3', new Uint8Array(buffer, base + 3, 5)],
  ['bytes at 0', new Uint8Array(buffer, base, 4)],
  ['none', new Uint8Array(buffer, base + 2, 0)],
  ['clamped', new Uint8ClampedArray(buffer, base + 1, 3)],
  ['int8', new Int8Array(buffer, base + 5, 3)],
  ['int16', new Int16Array(buffer, base + 2, 2)],
  ['uint16', new Uint16Array(buffer, base + 4, 2)],
  ['int32', new Int32Array(buffer, base + 4, 2)],
  ['uint32', new Uint32Array(buffer, base + 8, 1)],
  ['float32', new Float32Array(buffer, base + 4, 1)],
  ['float64', new Float64Array(buffer, base + 8, 1)],
  ['bigint64', new BigInt64Array(buffer, base + 8, 1)],
  ['biguint64', new BigUint64Array(buffer, base, 1)],
  ['data view', new DataView(buffer, base + 3, 6)],
  ['subarray', new Uint8Array(buffer, base, 16).subarray(2, 9).subarray(1)],
  ['Buffer', Buffer.from(buffer, base + 7, 4)],
];

const content = () => fs.readFileSync(file, 'latin1');
for (const [kind, make] of Object.entries(kinds)) {
  const buffer = make();
  const base = kind === 'pooled' ? Buffer.from(new Uint8Array(buffer)).indexOf(TEXT) & ~7 : 0;
  if (kind === 'pooled') new Uint8Array(buffer, base, 16).set(Buffer.from(TEXT));
  for (const [name, view] of views(buffer, base)) {
    const seen = [];
    fs.writeFileSync(file, view);
    seen.push(content());
    const fd = fs.openSync(file, 'w+');
    fs.writeSync(fd, view);
    fs.writevSync(fd, [view, view]);
    if (view.byteLength > 2) fs.writeSync(fd, view, 1, 1);
    seen.push(content());
    if (['bytes at 3', 'float64', 'data view'].includes(name) && !kind.startsWith('shared'))
      seen.push(spawnSync('cat', { input: view }).stdout.toString('latin1'));
    const before = Buffer.from(new Uint8Array(buffer, base, 16)).toString('latin1');
    fs.writeSync(fd, 'ZYXWVUTS', 0);
    if (view.byteLength > 0) {
      seen.push(fs.readSync(fd, view, 0, Math.min(2, view.byteLength), 0));
      seen.push(fs.readvSync(fd, [view], 3));
    }
    seen.push(Buffer.from(new Uint8Array(buffer, base, 16)).toString('latin1'));
    new Uint8Array(buffer, base, 16).set(Buffer.from(before, 'latin1'));
    fs.closeSync(fd);
    console.log(kind, name, ...seen);
  }
}

// What was detached has no bytes.
const gone = new Uint8Array(new ArrayBuffer(8), 2);
structuredClone(gone.buffer, { transfer: [gone.buffer] });
fs.writeFileSync(file, gone);
console.log('detached', content().length);
const shrunk = new Uint8Array(new ArrayBuffer(16, { maxByteLength: 16 }), 4, 8);
shrunk.buffer.resize(8);
fs.writeFileSync(file, shrunk);
console.log('beyond the end', content().length);
const tracking = new Uint8Array(new ArrayBuffer(4, { maxByteLength: 16 }), 2);
tracking.buffer.resize(10);
fs.writeFileSync(file, tracking);
console.log('grown', content().length);

// Beyond what 31 bits can count.
const far = new Uint8Array(new ArrayBuffer(2 ** 31 + 64), 2 ** 31 + 3, 20);
far.set(Buffer.from(TEXT), 2);
fs.writeFileSync(file, far);
console.log('far', JSON.stringify(content()));
console.log('far text', Buffer.from(far.buffer, far.byteOffset + 4, 6).toString(), Buffer.from(far.buffer, far.byteOffset + 4, 6).toString('base64'));

// Text and bytes of a view into a WebAssembly memory, and of one that isn't.
const wasm = Buffer.from(memory.buffer, 2, 6);
for (const view of [wasm, Buffer.from(TEXT).subarray(2, 8)])
  console.log(...['utf8', 'latin1', 'hex', 'base64', 'base64url', 'ucs2'].map((encoding) => view.toString(encoding)));
console.log(wasm.write('éx', 1), wasm.toString(), new TextDecoder().decode(wasm), Buffer.concat([wasm, wasm]).toString());

// What waits, with a memory that is moved meanwhile.
const own = new WebAssembly.Memory({ initial: 1 });
const part = new Uint8Array(own.buffer, 4, 12);
part.set(Buffer.from('the old text'));
const steps = [
  (next) => fs.writeFile(file, part, (error) => next(error, content())),
  (next) => fs.promises.writeFile(file, part).then(() => next(null, content())),
  (next) => {
    const fd = fs.openSync(file, 'r+');
    fs.write(fd, part, 4, 3, 0, (error, count) => {
      fs.read(fd, part, 1, 3, 0, (failed, read) => {
        fs.readv(fd, [new Uint8Array(1), part.subarray(5, 7), Buffer.alloc(2)], 0, (wrong, many) => {
          fs.writev(fd, [part.subarray(1, 3), Buffer.from('|')], 0, (bad, wrote) => {
            fs.closeSync(fd);
            next(error || failed || wrong || bad, count, read, many, wrote, Buffer.from(part).toString(), content());
          });
        });
      });
    });
  },
  (next) => {
    const cat = spawn('cat');
    let text = '';
    cat.stdout.on('data', (data) => { text += data; });
    cat.on('close', () => next(null, text));
    cat.stdin.write(part);
    cat.stdin.write(new DataView(own.buffer, 5, 3));
    cat.stdin.end(part.subarray(4, 7));
  },
  (next) => {
    const server = net.createServer((socket) => socket.on('data', (data) => { next(null, data.toString()); server.close(); }));
    server.listen(0, () => net.connect(server.address().port).end(part.subarray(2, 6)));
  },
  (next) => {
    const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1', () => socket.send(part.subarray(1, 5), socket.address().port, '127.0.0.1'));
    socket.on('message', (data) => { next(null, data.toString()); socket.close(); });
  },
  (next) => {
    fs.writeFile(file, part, (error) => next(error, part.length));
    own.grow(1);
  },
];
(function step(error, ...seen) {
  if (seen.length > 0 || error) console.log(error ? error.code : 'ok', ...seen);
  steps.shift()?.(step);
})();
