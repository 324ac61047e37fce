'use strict';
// A mixed load on the runtime, for as long as one likes: files, streams, sockets, datagrams,
// children, timers, work for the pool, watchers and promises at once. Every byte that comes
// back is checked. Ends with 1 if one was wrong, if something failed or stood still, or if
// memory or descriptors grew.
//
// usage: rondo test/soak/soak.js [seconds]
const assert = require('assert');
const dgram = require('dgram');
const dns = require('dns');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { pipeline } = require('stream/promises');
const { PassThrough, Readable, Transform, Writable } = require('stream');
const { execFile, spawn, spawnSync } = require('child_process');
const timers = require('timers/promises');

const seconds = Number(process.argv[2] ?? 60);
if (!(seconds > 0)) {
  console.error('usage: soak.js [seconds]');
  process.exit(2);
}
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-soak-'));
const end = Date.now() + seconds * 1000;
const isOver = () => Date.now() >= end;

// --- bytes: a stream of them that is known from its seed ----------------------------------------

let seeds = 1;
const random = (below) => Math.floor(Math.random() * below);

function fill(bytes, seed, from = 0) {
  for (let i = 0; i < bytes.length; i++) bytes[i] = (seed * 131 + (from + i) * 7 + ((from + i) >> 8)) & 255;
  return bytes;
}
const made = (size, seed) => fill(Buffer.allocUnsafe(size), seed);

let checked = 0;
function check(bytes, seed, from, what) {
  for (let i = 0; i < bytes.length; i++)
    if (bytes[i] !== ((seed * 131 + (from + i) * 7 + ((from + i) >> 8)) & 255))
      throw new Error(`${what}: byte ${from + i} is wrong`);
  checked += bytes.length;
}

function source(size, seed) {
  let at = 0;
  return new Readable({
    read(wanted) {
      const count = Math.min(size - at, 1 + random(wanted * 2));
      this.push(count > 0 ? fill(Buffer.allocUnsafe(count), seed, at) : null);
      at += count;
    },
  });
}

// A place where bytes are checked one after the other; `done` knows how many there must be.
function sink(size, seed, what) {
  let at = 0;
  return new Writable({
    write(chunk, encoding, callback) {
      try {
        check(chunk, seed, at, what);
      } catch (error) {
        callback(error);
        return;
      }
      at += chunk.length;
      if (random(4) === 0) setImmediate(callback);
      else callback();
    },
    final(callback) {
      callback(at === size ? null : new Error(`${what}: ${at} bytes of ${size}`));
    },
  });
}

// --- the kinds of load: each is one round, begun again until the time is over ------------------------

const jobs = {
  async wholeFiles(lane) {
    const file = path.join(dir, `whole-${lane}`);
    const [size, seed] = [random(300000), seeds++];
    await fs.promises.writeFile(file, made(size, seed));
    const back = await fs.promises.readFile(file);
    assert.strictEqual(back.length, size);
    check(back, seed, 0, 'file');
    await new Promise((done, fail) => fs.appendFile(file, 'end', (error) => error ? fail(error) : done()));
    assert.strictEqual(fs.statSync(file).size, size + 3);
    await fs.promises.rm(file);
  },

  async partsOfFiles(lane) {
    const handle = await fs.promises.open(path.join(dir, `parts-${lane}`), 'w+');
    const seed = seeds++;
    try {
      for (let i = 0; i < 20; i++) await handle.write(made(1000, seed + i), 0, 1000, i * 1000);
      await Promise.all(Array.from({ length: 20 }, async (_, i) => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(1000), 0, 1000, i * 1000);
        assert.strictEqual(bytesRead, 1000);
        check(buffer, seed + i, 0, 'part');
      }));
      await handle.truncate(10);
      assert.strictEqual((await handle.stat()).size, 10);
    } finally {
      await handle.close();
    }
  },

  async fileStreams(lane) {
    const file = path.join(dir, `stream-${lane}`);
    const [size, seed] = [random(1 << 20), seeds++];
    await pipeline(source(size, seed), new PassThrough(), fs.createWriteStream(file));
    await pipeline(fs.createReadStream(file, { highWaterMark: 1 + random(100000) }), sink(size, seed, 'file stream'));
    const start = random(size + 1);
    await pipeline(fs.createReadStream(file, { start }), sinkFrom(size - start, seed, start));
  },

  async trees(lane) {
    const top = path.join(dir, `tree-${lane}`);
    await fs.promises.mkdir(path.join(top, 'a/b/c'), { recursive: true });
    for (let i = 0; i < 10; i++) fs.writeFileSync(path.join(top, 'a/b', `f${i}`), 'x'.repeat(i));
    const names = await fs.promises.readdir(top, { recursive: true });
    assert.strictEqual(names.length, 13);
    for await (const entry of await fs.promises.opendir(path.join(top, 'a/b'))) assert.strictEqual(typeof entry.name, 'string');
    await fs.promises.cp(top, `${top}-copy`, { recursive: true });
    await Promise.all([fs.promises.rm(top, { recursive: true }), fs.promises.rm(`${top}-copy`, { recursive: true })]);
  },

  async sockets() {
    const [size, seed] = [random(1 << 19), seeds++];
    const server = net.createServer((socket) => {
      socket.pipe(new Transform({ transform(chunk, encoding, callback) { callback(null, chunk); } })).pipe(socket);
      socket.on('error', () => socket.destroy());
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    try {
      await Promise.all([0, 1].map(async (n) => {
        const socket = net.connect(server.address().port, '127.0.0.1');
        await Promise.all([pipeline(source(size, seed + n), socket), pipeline(socket, sink(size, seed + n, 'socket'))]);
      }));
      // One that goes away in the middle.
      const rude = net.connect(server.address().port, '127.0.0.1');
      rude.on('error', () => {});
      rude.write(made(5000, 1));
      await timers.setTimeout(random(3));
      rude.destroy();
    } finally {
      await new Promise((done) => server.close(done));
    }
  },

  async localSockets(lane) {
    const name = path.join(dir, `socket-${lane}`);
    const [size, seed] = [random(1 << 18), seeds++];
    const server = net.createServer((socket) => source(size, seed).pipe(socket)).listen(name);
    await new Promise((done) => server.once('listening', done));
    await pipeline(net.connect(name), sink(size, seed, 'local socket'));
    await new Promise((done) => server.close(done));
  },

  async datagrams() {
    const [a, b] = [dgram.createSocket('udp4'), dgram.createSocket('udp4')];
    const seed = seeds++;
    try {
      await new Promise((done) => a.bind(0, '127.0.0.1', done));
      await new Promise((done) => b.connect(a.address().port, '127.0.0.1', done));
      const got = new Promise((done, fail) => {
        let count = 0;
        a.on('message', (bytes) => {
          try {
            check(bytes.subarray(1), seed + bytes[0], 0, 'datagram');
          } catch (error) {
            fail(error);
          }
          if (++count === 20) done();
        });
      });
      // One at a time: the kernel may drop what comes faster than it is taken.
      for (let i = 0; i < 20; i++)
        await new Promise((done, fail) => b.send([Buffer.from([i]), made(1 + random(1000), seed + i)], (error) => error ? fail(error) : done()));
      await got;
    } finally {
      a.close();
      b.close();
    }
  },

  async children() {
    const [size, seed] = [random(200000), seeds++];
    const child = spawn('cat');
    await Promise.all([pipeline(source(size, seed), child.stdin), pipeline(child.stdout, sink(size, seed, 'child')),
      new Promise((done) => child.on('close', done))]);
    const text = await new Promise((done, fail) => execFile('sh', ['-c', 'echo "$A"; exit 0'], { env: { A: `${seed}` } },
      (error, out) => error ? fail(error) : done(out)));
    assert.strictEqual(text, `${seed}\n`);
    const bytes = spawnSync('cat', { input: made(1000, seed) }).stdout;
    assert.strictEqual(bytes.length, 1000);
    check(bytes, seed, 0, 'child that was waited for');
    const gone = spawn('sleep', ['100']);
    gone.kill();
    await new Promise((done) => gone.on('close', done));
  },

  async timers() {
    const order = [];
    await new Promise((done) => {
      setTimeout(() => order.push('timer'), 1);
      const stopped = setTimeout(() => order.push('never'), 1);
      clearTimeout(stopped);
      let left = 3;
      const interval = setInterval(() => {
        if (--left > 0) return;
        clearInterval(interval);
        setImmediate(done);
      }, 1);
      for (let i = 0; i < 200; i++) clearTimeout(setTimeout(() => {}, random(100000)));
    });
    assert.deepStrictEqual(order, ['timer']);
    const aborted = new AbortController();
    const waiting = timers.setTimeout(100000, null, { signal: aborted.signal });
    aborted.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
  },

  async pool() {
    await Promise.all(Array.from({ length: 8 }, () => fs.promises.realpath(dir)));
    const found = await dns.promises.lookup('localhost');
    assert(found.address === '127.0.0.1' || found.address === '::1');
  },

  async watching(lane) {
    const file = path.join(dir, `watched-${lane}`);
    fs.writeFileSync(file, '');
    const watcher = fs.watch(file);
    const seen = new Promise((done) => watcher.once('change', done));
    fs.writeFileSync(file, 'changed');
    await seen;
    watcher.close();
    await fs.promises.unlink(file);
  },

  async promises() {
    let sum = 0;
    await Promise.all(Array.from({ length: 500 }, async (_, i) => {
      await null;
      if (i % 2 === 0) await new Promise((done) => process.nextTick(done));
      sum += i;
    }));
    assert.strictEqual(sum, 124750);
    await assert.rejects((async () => { throw new Error('meant'); })(), { message: 'meant' });
    for await (const value of Readable.from([1, 2, 3]).map((x) => x * 2)) assert(value > 0);
  },

  async wasm(lane) {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const seed = seeds++;
    const view = new Uint8Array(memory.buffer, 100, 5000);
    fill(view, seed);
    const file = path.join(dir, `wasm-${lane}`);
    await fs.promises.writeFile(file, view);
    const back = Buffer.alloc(6000);
    const fd = fs.openSync(file);
    assert.strictEqual(fs.readSync(fd, new DataView(back.buffer, back.byteOffset + 7, 5000)), 5000);
    fs.closeSync(fd);
    check(back.subarray(7, 5007), seed, 0, 'view');
  },
};

function sinkFrom(size, seed, start) {
  let at = start;
  return new Writable({
    write(chunk, encoding, callback) {
      check(chunk, seed, at, 'part of a stream');
      at += chunk.length;
      callback();
    },
    final: (callback) => callback(at === start + size ? null : new Error('part of a stream: too short')),
  });
}

// --- watching what must not grow -------------------------------------------------------------------------

const descriptors = () => fs.readdirSync('/proc/self/fd').length;
const megabytes = () => Math.round(process.memoryUsage().rss / 1048576);
const rounds = {};
const samples = []; // { rss, fds } after the lanes have come to rest, several times in the run
const problems = [];

// So many rounds of each kind at a time; all come to an end before memory and descriptors are
// looked at, so that what is counted is what was left behind.
const LANES = 2;
const STRETCHES = 12;
const STUCK = 120000; // ms

async function lane(name, number, until) {
  while (Date.now() < until && problems.length === 0) {
    await jobs[name](number);
    rounds[name] = (rounds[name] ?? 0) + 1;
    await timers.setImmediate(); // promises alone would let nobody else run
  }
}

async function guarded(name, number, until) {
  let timer;
  const stuck = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error('stands still')), until - Date.now() + STUCK);
  });
  try {
    await Promise.race([lane(name, number, until), stuck]);
  } catch (error) {
    problems.push(`${name}: ${error.stack ?? error}`);
  } finally {
    clearTimeout(timer);
  }
}

async function main() {
  const length = seconds * 1000 / STRETCHES;
  while (!isOver() && problems.length === 0) {
    const until = Math.min(end, Date.now() + length);
    const running = [];
    for (const name of Object.keys(jobs)) for (let i = 0; i < LANES; i++) running.push(guarded(name, i, until));
    await Promise.all(running);
    await timers.setTimeout(50); // close callbacks
    samples.push({ rss: megabytes(), fds: descriptors() });
  }
  judge();
  fs.rmSync(dir, { recursive: true, force: true });
  report();
  process.exitCode = problems.length > 0 ? 1 : 0;
}

// The second half must not be above what the first had: the engine's heap has its size by then.
function judge() {
  const half = Math.ceil(samples.length / 2);
  if (samples.length < 4) return;
  const most = (list, key) => Math.max(...list.map((sample) => sample[key]));
  const [before, after] = [samples.slice(0, half), samples.slice(half)];
  if (most(after, 'fds') > most(before, 'fds')) problems.push(`descriptors grew from ${most(before, 'fds')} to ${most(after, 'fds')}`);
  const [low, high] = [most(before, 'rss'), most(after, 'rss')];
  if (high > low * 1.25 + 32) problems.push(`memory grew from ${low} to ${high} MB`);
}

function report() {
  console.log(`rounds      ${Object.entries(rounds).map(([name, count]) => `${name} ${count}`).join(', ')}`);
  console.log(`bytes       ${Math.round(checked / 1048576)} MB, each one checked`);
  console.log(`memory      ${samples.map((sample) => sample.rss).join(' ')} MB`);
  console.log(`descriptors ${samples.map((sample) => sample.fds).join(' ')}`);
  for (const problem of problems) console.log(`problem     ${problem}`);
  console.log(problems.length > 0 ? 'FAILED' : `ok, ${seconds} s`);
}

process.on('uncaughtException', (error) => problems.push(`uncaught: ${error.stack}`));
main();
