// AsyncLocalStorage: what a store is in everything that calls back later.
'use strict';
const { AsyncLocalStorage, AsyncResource } = require('async_hooks');
const { EventEmitter, once } = require('events');
const fs = require('fs');
const { promisify } = require('util');
const store = new AsyncLocalStorage();
const other = new AsyncLocalStorage();
const lines = [];
const say = (what) => lines.push(`${what}: ${String(store.getStore())} ${String(other.getStore())}`);
const steps = [];

function step(name, work) {
  steps.push([name, work]);
}

// --- one callback each ---
step('tick', (done) => process.nextTick(done));
step('tick with arguments', (done) => process.nextTick((a) => done(a), 1));
step('timer', (done) => setTimeout(done, 1));
step('interval', (done) => { let n = 0; const i = setInterval(() => { if (++n === 3) { clearInterval(i); done(); } else say('  interval'); }, 1); });
step('immediate', (done) => setImmediate(done));
step('microtask', (done) => queueMicrotask(done));
step('then', (done) => Promise.resolve().then(done));
step('catch', (done) => Promise.reject(1).catch(done));
step('finally', (done) => { Promise.resolve(1).finally(done); });
step('then behind a timer', (done) => { new Promise((r) => setTimeout(r, 1)).then(done); });
step('thenable', (done) => { Promise.resolve({ then(r) { say('  then called'); r(); } }).then(done); });
step('all', (done) => { Promise.all([1, Promise.resolve(2), new Promise((r) => setTimeout(r, 1))]).then(done); });
step('race', (done) => { Promise.race([new Promise((r) => setTimeout(r, 1))]).then(done); });
step('await of values', async (done) => { await 1; say('  1'); await null; say('  2'); await undefined; say('  3'); await {}; done(); });
step('await of promises', async (done) => { await Promise.resolve(); say('  1'); await new Promise((r) => setTimeout(r, 1)); say('  2'); await (async () => { await 5; say('  inner'); })(); done(); });
step('await of a rejection', async (done) => { try { await Promise.reject(new Error('x')); } catch { say('  caught'); } await 1; done(); });
step('await of a thenable', async (done) => { await { then(r) { setTimeout(r, 1); } }; done(); });
step('for await', async (done) => { for await (const x of (async function* () { yield 1; await 5; yield new Promise((r) => setTimeout(r, 1, 2)); })()) say(`  ${x}`); done(); });
step('for await over values', async (done) => { for await (const x of [1, Promise.resolve(2)]) say(`  ${x}`); done(); });
step('stat', (done) => fs.stat(__filename, done));
step('readFile', (done) => fs.readFile(__filename, done));
step('promises.readFile', (done) => { fs.promises.readFile(__filename).then(done); });
step('promises.open', async (done) => { const f = await fs.promises.open(__filename); await f.read(Buffer.alloc(3)); say('  read'); await f.close(); done(); });
step('file stream', (done) => { fs.createReadStream(__filename).on('data', () => {}).on('end', () => say('  end')).on('close', done); });
step('promisify', (done) => { promisify(fs.stat)(__filename).then(done); });
step('once', async (done) => { const e = new EventEmitter(); setTimeout(() => e.emit('x'), 1); await once(e, 'x'); done(); });
step('lookup', (done) => require('dns').lookup('127.0.0.1', done));
step('child', (done) => require('child_process').execFile('/bin/true', done));
step('child events', (done) => { const c = require('child_process').spawn('/bin/echo', ['x']); c.stdout.on('data', () => say('  data')); c.on('close', done); });
step('randomBytes', (done) => require('crypto').randomBytes(4, done));
step('pbkdf2', (done) => require('crypto').pbkdf2('a', 'b', 1, 8, 'sha256', done));
step('deflate', (done) => require('zlib').deflate('text', done));
step('gzip stream', (done) => { const z = require('zlib').createGzip(); z.on('data', () => {}).on('end', done); z.end('x'.repeat(1000)); });
step('socket', (done) => {
  const net = require('net');
  const server = net.createServer((c) => { say('  connection'); c.on('data', (d) => { say('  server data'); c.end(d); }); });
  server.listen(0, '127.0.0.1', () => {
    say('  listening');
    other.run('client', () => {
      const c = net.connect(server.address().port, '127.0.0.1', () => { say('  connected'); c.write('x', () => say('  written')); });
      c.on('data', () => say('  client data')).on('close', () => { say('  close'); server.close(done); });
    });
  });
});
step('datagram', (done) => {
  const s = require('dgram').createSocket('udp4');
  s.on('message', () => { say('  message'); s.close(done); });
  s.bind(0, '127.0.0.1', () => { say('  bound'); s.send('x', s.address().port, '127.0.0.1', () => say('  sent')); });
});
step('abort', (done) => { const c = new AbortController(); c.signal.addEventListener('abort', done); setTimeout(() => c.abort(), 1); });
step('timers/promises', async (done) => { await require('timers/promises').setTimeout(1); say('  timer'); await require('timers/promises').setImmediate(); done(); });
step('pipeline', (done) => { const { pipeline, Readable, PassThrough } = require('stream'); pipeline(Readable.from(['a', 'b']), new PassThrough(), async function (s) { for await (const c of s) say(`  ${c}`); }, done); });
step('watchFile', (done) => { const w = fs.watchFile(__filename, { interval: 5 }, () => {}); fs.unwatchFile(__filename); setImmediate(done); });
step('bound', (done) => { const f = AsyncResource.bind(done); other.run('elsewhere', () => setImmediate(f)); });
step('snapshot', (done) => { const run = AsyncLocalStorage.snapshot(); store.run('elsewhere', () => setTimeout(() => run(done), 1)); });
step('resource', (done) => { const r = new AsyncResource('R'); store.run('elsewhere', () => setTimeout(() => r.runInAsyncScope(done), 1)); });
step('exit', (done) => { let later; store.exit(() => { say('  inside'); setTimeout(() => { say('  later'); later(); }, 1); }); new Promise((r) => { later = r; }).then(done); });
step('enterWith', (done) => { let later; setTimeout(() => { store.enterWith('entered'); say('  at once'); setTimeout(() => { say('  later'); later(); }, 1); }, 1); new Promise((r) => { later = r; }).then(done); });
step('enterWith in async', async (done) => { await 1; store.enterWith('entered'); await 1; say('  after'); done(); });
step('nested', (done) => { let later; store.run('in', () => { setTimeout(() => { say('  in'); later(); }, 1); other.run('both', () => Promise.resolve().then(() => { say('  both'); })); }); new Promise((r) => { later = r; }).then(done); });
step('disable', (done) => { const o = other; o.run('x', () => { o.disable(); setTimeout(() => { say('  disabled'); o.run('again', () => { say('  again'); done(); }); }, 1); }); });
step('throwing', (done) => { try { store.run('t', () => { throw new Error('x'); }); } catch { say('  caught'); } done(); });
step('uncaught', (done) => {
  process.once('uncaughtException', () => { say('  handler'); setImmediate(done); });
  store.run('thrower', () => setTimeout(() => { throw new Error('x'); }, 1));
});
step('uncaught in a tick', (done) => {
  process.once('uncaughtException', () => { say('  handler'); setImmediate(done); });
  store.run('thrower', () => process.nextTick(() => { throw new Error('x'); }));
});
step('uncaught in a microtask', (done) => {
  process.once('uncaughtException', () => { say('  handler'); setImmediate(done); });
  store.run('thrower', () => queueMicrotask(() => { throw new Error('x'); }));
});
step('two at once', (done) => {
  let left = 2;
  const one = (name, ms) => store.run(name, async () => {
    for (let i = 0; i < 4; i++) { await i; say(`  ${name} value`); await null; say(`  ${name} null`); await new Promise((r) => setTimeout(r, ms)); say(`  ${name} timer`); }
    if (--left === 0) done();
  });
  one('a', 2); one('b', 2);
});
step('two at once without timers', (done) => {
  let left = 3;
  const one = (name) => store.run(name, async () => {
    for (let i = 0; i < 3; i++) { await i; say(`  ${name} value`); await Promise.resolve(); say(`  ${name} promise`); }
    if (--left === 0) setImmediate(done);
  });
  one('a'); one('b'); one('c');
});
step('no store behind a store', (done) => { store.run('x', () => Promise.resolve().then(() => { say('  x'); })); Promise.resolve().then(() => { say('  none of it'); done(); }); });

(async function next() {
  for (const [name, work] of steps) {
    await new Promise((resolve) => {
      store.run(name, () => work(() => { say(name); resolve(); }));
    });
    // Two ends of a connection have no order between them.
    if (name === 'socket' || name === 'datagram') lines.sort();
    console.log(lines.join('\n'));
    lines.length = 0;
  }
  say('at the end');
  console.log(lines.join('\n'));
})();
