// Mixed load for a number of seconds: `node --expose-gc node_soak.js SECONDS`.
// Files, sockets, children, workers, the pool and timers at once, over and over.
// Memory and descriptors are looked at between rounds, when nothing is under way:
// after the warm-up neither may grow.
'use strict';

const child = require('child_process');
const crypto = require('crypto');
const dgram = require('dgram');
const fs = require('fs');
const http = require('http');
const net = require('net');
const { once } = require('events');
const { promisify } = require('util');
const { Worker } = require('worker_threads');
const zlib = require('zlib');

const seconds = Number(process.argv[2]) || 10;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const many = (count, run) => Promise.all(Array.from({ length: count }, (_, i) => run(i)));

async function listen(server, ...where) {
  server.listen(...where);
  await once(server, 'listening');
  return server.address().port;
}

const loads = {
  async files() {
    await many(40, async (i) => {
      const name = `soak-${i}`;
      await fs.promises.writeFile(name, 'x'.repeat(1000 + i));
      const text = await fs.promises.readFile(name, 'utf8');
      if (text.length !== 1000 + i || (await fs.promises.stat(name)).size !== text.length) throw new Error('files');
      await fs.promises.unlink(name);
    });
    await fs.promises.readdir('.');
    await fs.promises.stat('missing').catch(() => {});
    const file = await fs.promises.open('synced', 'w');
    await file.write('x');
    await file.datasync(); // on io_uring, through the ring
    await file.close();
  },

  async watching() {
    const watcher = fs.watch('.', () => {});
    await fs.promises.writeFile('watched', 'x');
    await sleep(2);
    watcher.close();
  },

  async echo() {
    const server = net.createServer((socket) => socket.pipe(socket));
    const port = await listen(server, 0, '127.0.0.1');
    await many(20, async () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.write(Buffer.alloc(50000, 1));
      let received = 0;
      for await (const chunk of socket) {
        received += chunk.length;
        if (received === 50000) socket.end();
      }
      if (received !== 50000) throw new Error('echo');
    });
    server.close();
    await once(net.connect(port, '127.0.0.1'), 'error');
  },

  async http() {
    const server = http.createServer((request, response) => request.pipe(response));
    const port = await listen(server, 0, '127.0.0.1');
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
    await many(40, () => new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', agent, method: 'POST' }, (response) => {
        response.resume().on('end', resolve);
      });
      request.on('error', reject);
      request.end('x'.repeat(5000));
    }));
    agent.destroy();
    server.close();
  },

  async datagrams() {
    const server = dgram.createSocket('udp4', (message, from) => server.send(message, from.port, from.address));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const client = dgram.createSocket('udp4');
    for (let i = 0; i < 20; i++) {
      client.send('ping', server.address().port, '127.0.0.1');
      await once(client, 'message');
    }
    client.close();
    server.close();
  },

  async pool() {
    await many(8, () => promisify(crypto.pbkdf2)('secret', 'salt', 500, 32, 'sha256'));
    await many(8, async (i) => promisify(zlib.gunzip)(await promisify(zlib.gzip)('y'.repeat(5000 * i))));
  },

  async children() {
    const [code] = await once(child.spawn('sh', ['-c', 'cat >/dev/null; exit 3']).on('spawn', function () {
      this.stdin.end('input');
    }), 'close');
    if (code !== 3) throw new Error('children');
    await once(child.spawn('no-such-program'), 'error');
  },

  async workers() {
    const worker = new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true });
    await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
  },

  async timers() {
    await many(200, (i) => sleep(i % 10));
    clearTimeout(setTimeout(() => {}, 1e6));
    await new Promise((resolve) => setImmediate(resolve));
  },
};

function look() {
  global.gc();
  return { memory: process.memoryUsage().rss, descriptors: fs.readdirSync('/proc/self/fd').length };
}

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function main() {
  const end = Date.now() + seconds * 1000;
  const warm = Date.now() + Math.min(seconds * 250, 30000);
  const seen = [];
  let rounds = 0;
  do {
    await Promise.all(Object.values(loads).map((load) => load()));
    rounds++;
    if (Date.now() > warm) {
      await sleep(20);
      seen.push(look());
    }
  } while (Date.now() < end || seen.length < 8);

  const quarter = Math.floor(seen.length / 4);
  const early = seen.slice(0, quarter);
  const late = seen.slice(-quarter);
  const memory = [early, late].map((part) => middle(part.map((look_) => look_.memory)) / 1e6);
  const descriptors = [early, late].map((part) => middle(part.map((look_) => look_.descriptors)));
  // The collector lets memory swing; a leak in each round would be far above this.
  const grown = memory[1] > memory[0] * 1.15 + 10 || descriptors[1] > descriptors[0] + 2;
  console.log(`${grown ? 'GREW: ' : ''}${rounds} rounds, memory ${memory.map((mb) => mb.toFixed(0)).join(' to ')} MB, ` +
    `descriptors ${descriptors.join(' to ')}`);
  process.exitCode = grown ? 1 : 0;
}

// A loop that ends with promises unfulfilled has lost a callback.
process.exitCode = 2;
main();
