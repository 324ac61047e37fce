// Order and timing of callbacks, the thread pool, worker threads and signals.
'use strict';
/* global feature, sleep */

const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const { once } = require('events');
const { performance, monitorEventLoopDelay } = require('perf_hooks');
const { promisify } = require('util');
const { Worker } = require('worker_threads');
const zlib = require('zlib');

const sha = (data) => crypto.createHash('sha256').update(data).digest('hex').slice(0, 16);

feature('order inside an I/O callback', () => new Promise((resolve) => {
  fs.stat('.', () => {
    const seen = [];
    setTimeout(() => seen.push('timeout'), 0);
    setImmediate(() => {
      seen.push('immediate');
      setImmediate(() => setTimeout(() => resolve(seen), 5));
    });
    Promise.resolve().then(() => seen.push('microtask'));
    process.nextTick(() => seen.push('tick'));
  });
}));

feature('equal timers fire in start order', async () => {
  const seen = [];
  for (let i = 0; i < 10; i++) setTimeout(() => seen.push(i), 5);
  await sleep(30);
  return seen;
});

feature('intervals, refresh and clear', async () => {
  let ticks = 0;
  let refreshed = 0;
  const interval = setInterval(() => {
    if (++ticks === 5) clearInterval(interval);
  }, 1);
  const timer = setTimeout(() => refreshed++, 300);
  await sleep(10);
  timer.refresh();
  const cleared = setTimeout(() => { refreshed = -1000; }, 5);
  clearTimeout(cleared);
  setTimeout(() => { refreshed = -1000; }, 1e6).unref();
  while (ticks < 5 || refreshed < 1) await sleep(5);
  await sleep(10);
  return { ticks, refreshed };
});

feature('a timer never fires early', async () => {
  for (const ms of [1, 3, 10, 25]) {
    const start = process.hrtime.bigint();
    await sleep(ms);
    // Node counts whole milliseconds from the loop's cached time.
    if (Number(process.hrtime.bigint() - start) / 1e6 < ms - 1) return `${ms} ms came early`;
  }
  return 'as asked';
});

feature('immediates queued by immediates wait a turn', () => new Promise((resolve) => {
  const seen = [];
  let depth = 0;
  const next = () => {
    seen.push(depth);
    if (++depth < 5) setImmediate(next);
    else resolve(seen);
  };
  setImmediate(next);
}));

feature('pbkdf2, scrypt and random bytes in the pool', async () => {
  const keys = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((i) =>
    promisify(crypto.pbkdf2)('secret', `salt${i}`, 2000, 32, 'sha512')));
  const derived = await promisify(crypto.scrypt)('secret', 'salt', 32, { N: 1024 });
  const random = await promisify(crypto.randomBytes)(64);
  return [sha(Buffer.concat(keys)), sha(derived), random.length];
});

feature('gzip, deflate and brotli in the pool', async () => {
  const text = Buffer.from('the wheel turns '.repeat(20000));
  const packed = await promisify(zlib.gzip)(text);
  const unpacked = await promisify(zlib.gunzip)(packed);
  const brotli = await promisify(zlib.brotliDecompress)(await promisify(zlib.brotliCompress)(text));
  const deflated = await promisify(zlib.inflate)(await promisify(zlib.deflate)(text));
  return [unpacked.equals(text), brotli.equals(text), deflated.equals(text), packed.length < text.length];
});

feature('worker threads: messages, files, shared memory, end', async () => {
  const shared = new SharedArrayBuffer(4);
  const worker = new Worker(`
    const { parentPort, workerData } = require('worker_threads');
    const fs = require('fs');
    parentPort.on('message', async (text) => {
      if (text === 'end') return parentPort.close();
      const size = (await fs.promises.stat('.')).isDirectory();
      Atomics.add(new Int32Array(workerData), 0, 1);
      setTimeout(() => parentPort.postMessage({ text: text.toUpperCase(), size }), 1);
    });`, { eval: true, workerData: shared });
  const answers = [];
  for (const text of ['one', 'two', 'three']) {
    worker.postMessage(text);
    answers.push((await once(worker, 'message'))[0]);
  }
  worker.postMessage('end');
  const [code] = await once(worker, 'exit');
  return { answers, count: new Int32Array(shared)[0], code };
});

feature('worker threads: eight at once, ended from outside', async () => {
  const workers = Array.from({ length: 8 }, (_, i) => new Worker(`
    const { parentPort, workerData } = require('worker_threads');
    parentPort.postMessage(workerData * workerData);
    setInterval(() => {}, 1000);`, { eval: true, workerData: i }));
  const squares = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
  const codes = await Promise.all(workers.map((worker) => worker.terminate()));
  return { squares, codes };
});

feature('signals reach their listeners', async () => {
  const seen = [];
  for (const signal of ['SIGUSR2', 'SIGHUP', 'SIGWINCH']) {
    const got = once(process, signal);
    process.kill(process.pid, signal);
    await got;
    seen.push(signal);
    process.removeAllListeners(signal);
  }
  return seen;
});

feature('loop utilisation and delay are measured', async () => {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = performance.eventLoopUtilization();
  await sleep(60);
  const used = performance.eventLoopUtilization(before);
  delay.disable();
  return [used.idle > 20, used.utilization < 0.9, delay.max > 0];
});

feature('what the system says of itself', async () => {
  process.title = 'rondo-programs';
  const usage = process.resourceUsage();
  const interfaces = os.networkInterfaces();
  return {
    cpus: os.cpus().length > 0 && os.cpus().every((cpu) => typeof cpu.model === 'string' && cpu.times.user >= 0),
    memory: os.totalmem() > os.freemem() && os.freemem() > 0,
    resident: process.memoryUsage().rss > 1e6,
    loads: os.loadavg().length,
    uptime: os.uptime() > 0 && process.uptime() > 0,
    host: os.hostname(),
    user: os.userInfo().username,
    home: os.userInfo().homedir,
    kernel: `${os.type()} ${os.release()} ${os.machine()}`,
    loopback: interfaces.lo && interfaces.lo.map((entry) => `${entry.cidr} ${entry.mac} ${entry.internal}`),
    names: Object.keys(interfaces),
    priority: os.getPriority(),
    title: process.title,
    usage: usage.userCPUTime > 0 && usage.maxRSS > 0,
    directory: process.cwd() === fs.realpathSync('.'),
    signals: os.constants.signals.SIGTERM,
  };
});
