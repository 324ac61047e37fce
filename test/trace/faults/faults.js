// Programs with one known fault each: `node faults.js FAULT FOLDER [for-ever]` runs the one of that name.
// The fault lasts for 0.4 s, or for ever, and begins when "stalls" has been printed; "TRUTH function 412.3" says
// what a tool should find out. The functions that are to blame have a name that nothing else has. check_faults runs them.
'use strict';
const fs = require('fs');
const path = require('path');

const [name, folder, forEver] = process.argv.slice(2);
const LENGTH_MS = 400;
const fifo = path.join(folder, 'fifo'); // nobody writes to it
const seconds = forEver ? '1000' : '0.4';

let begun;
let total = 0;
const say = (text) => fs.writeSync(1, `${text}\n`);
const passed = () => performance.now() - begun;
const enough = () => !forEver && passed() >= LENGTH_MS;
const begin = () => { say('stalls'); begun = performance.now(); };
const end = (who) => say(`TRUTH ${who} ${passed().toFixed(1)}`);

const faults = {
  // --- computing: nothing of the program's own is on top of the stack
  stringify() {
    const rows = Array.from({ length: 20000 }, (_, id) => ({ id, text: `row ${id}`, tags: ['a', 'b'] }));
    return function buildPayload() { do JSON.stringify({ rows }); while (!enough()); };
  },
  regex() {
    const address = `${'a'.repeat(forEver ? 40 : 22)}!`;
    return function validateEmail() { do /^([a-z]+\.?)+@/.test(address); while (!enough()); };
  },
  scrypt() {
    const { scryptSync } = require('crypto');
    return function hashPassword() { do scryptSync('password', 'salt', 32); while (!enough()); };
  },
  gzip() {
    const { gzipSync } = require('zlib');
    const page = Buffer.from(Array.from({ length: 100000 }, (_, i) => i * 7919 % 10007).join());
    return function compressPage() { do gzipSync(page); while (!enough()); };
  },
  bigint() {
    const base = (1n << 20000n) - 12345n;
    let sum = 0n;
    return function findPower() { do sum += base ** 20n % 1000007n; while (!enough()); };
  },
  collator() {
    const names = Array.from({ length: 5000 }, (_, i) => `name ${i * 7919 % 5000}`);
    const compareNames = (a, b) => a.localeCompare(b);
    return function sortNames() { do names.slice().sort(compareNames); while (!enough()); };
  },
  concat() {
    const part = Buffer.alloc(20000);
    return function appendChunk() {
      do {
        let all = Buffer.alloc(0);
        for (let i = 0; i < 100; i++) all = Buffer.concat([all, part]);
      } while (!enough());
    };
  },
  clone() {
    const state = { rows: Array.from({ length: 10000 }, (_, id) => ({ id, text: `row ${id}` })) };
    return function copyState() { do structuredClone(state); while (!enough()); };
  },
  compile() {
    let n = 0;
    const source = () => `${Array.from({ length: 5000 }, (_, i) => `let a${i} = ${n} + ${i};`).join('\n')} return ${n++};`;
    return function loadTemplate() { do new Function(source()); while (!enough()); };
  },
  dedupe() {
    const rows = Array.from({ length: 6000 }, (_, i) => ({ i }));
    let sum = 0;
    return function dedupeRows() { do for (let i = 0; i < rows.length; i++) sum += rows.indexOf(rows[i]); while (!enough()); };
  },
  dates() {
    return function formatRows() { do new Date(passed() * 1e9).toLocaleString('de-DE', { dateStyle: 'full' }); while (!enough()); };
  },
  emitter() {
    const emitter = new (require('events'))();
    emitter.setMaxListeners(0);
    const onPrice = (price) => { let sum = 0; for (let i = 0; i < 3000; i++) sum += Math.sqrt(i * price); return sum; };
    for (let i = 0; i < 2000; i++) emitter.on('price', (price) => onPrice(price));
    return function publishPrice() { do emitter.emit('price', passed()); while (!enough()); };
  },
  directories() {
    const files = path.join(folder, 'files');
    fs.mkdirSync(files, { recursive: true });
    for (let i = 0; i < 200; i++) fs.writeFileSync(path.join(files, String(i)), '');
    return function walkFiles() { do for (const file of fs.readdirSync(files)) fs.statSync(path.join(files, file)); while (!enough()); };
  },
  http: {
    start() {
      const http = require('http');
      const rows = Array.from({ length: 3000 }, (_, i) => i);
      let sum = 0;
      function renderPage() { do sum += rows.map((row) => `<tr><td>${row}</td></tr>`).join('').length; while (!enough()); }
      const server = http.createServer(function showPage(request, response) {
        begin();
        renderPage();
        end('renderPage');
        response.end();
        server.close();
      });
      server.listen(0, '127.0.0.1', () => http.get({ port: server.address().port, path: '/page?id=7', agent: false }, (answer) => answer.resume()));
    },
  },
  // --- computing: many calls, none of which takes long
  microtasks: {
    start: () => setTimeout(async function beginPump() {
      begin();
      await (async function pumpQueue() { while (!enough()) { for (let i = 0; i < 100000; i++) total = (total + i) & 1023; await null; } })();
      end('pumpQueue');
    }, 50),
  },
  ticks: {
    start: () => setTimeout(function beginTicks() {
      const drainQueue = () => { for (let i = 0; i < 20000; i++) total = (total + i) & 1023; if (enough()) end('drainQueue'); else process.nextTick(drainQueue); };
      begin();
      process.nextTick(drainQueue);
    }, 50),
  },
  timers: {
    start: () => setTimeout(function fillTimers() {
      const count = forEver ? 1000000 : 2000;
      let left = count;
      const expireEntry = () => { for (let i = 0; i < 30000; i++) total = (total + i) & 1023; if (--left === 0) end('expireEntry'); };
      for (let i = 0; i < count; i++) setTimeout(expireEntry, 5);
      begin();
    }, 50),
  },
  consumer: {
    start: () => setTimeout(function beginReport() {
      const { Readable, Writable } = require('stream');
      const rows = function* () { while (!enough()) yield Buffer.alloc(100); };
      const sink = new Writable({ write: function consumeRow(row, encoding, done) { for (let i = 0; i < 500000; i++) total = (total + i) & 1023; done(); } });
      begin();
      sink.on('finish', () => end('consumeRow'));
      Readable.from(rows()).pipe(sink);
    }, 50),
  },
  // --- garbage collection
  rows() {
    const keep = [];
    for (let i = 0; i < 1200000; i++) keep.push({ i, row: [i] });
    return function cacheRows() { do for (let i = 0; i < 30000; i++) keep.push({ i, row: [i], text: `x${i}` }); while (!enough()); };
  },
  // --- waiting
  fifo() { // of the limited one the other end is opened by check_faults
    return function readConfig() { fs.readFileSync(fifo); };
  },
  child() {
    const { execFileSync } = require('child_process');
    return function runGit() { execFileSync('sleep', [seconds]); };
  },
  atomics() {
    const word = new Int32Array(new SharedArrayBuffer(4));
    return function awaitReply() { Atomics.wait(word, 0, 0, forEver ? 1e9 : LENGTH_MS); };
  },
  addon() {
    const { nap } = require(path.join(folder, 'nap.node'));
    return function readSensor() { do nap(); while (!enough()); };
  },
  output() { // to a pipe that check_faults doesn't read
    const line = Buffer.alloc(4096, 'x');
    return function logRows() { for (let i = 0; i < 50; i++) fs.writeSync(3, line); };
  },
  // --- the pool
  hashes: {
    start: () => setTimeout(function hashAll() {
      const { pbkdf2 } = require('crypto');
      const again = () => { if (!enough()) pbkdf2('password', 'salt', 60000, 64, 'sha512', again); };
      begin();
      for (let i = 0; i < 12; i++) again();
      fs.stat(__filename, function onStat() { end('hashAll'); });
    }, 50),
  },
  logs: {
    start: () => setTimeout(function tailLogs() {
      begin();
      for (let i = 0; i < 4; i++) fs.open(fifo, () => {});
      fs.stat(__filename, function onStat() { end('tailLogs'); process.exit(); });
    }, 50),
  },
  lookups: { // the resolver reads its file of aliases, which is a FIFO
    start: () => setTimeout(function resolveAll() {
      const { lookup } = require('dns');
      process.env.HOSTALIASES = fifo;
      begin();
      for (let i = 0; i < 4; i++) lookup(`host${i}`, { family: 4 }, function onHost() { if (i === 3) { end('resolveAll'); process.exit(); } });
    }, 50),
  },
  // --- what doesn't end
  interval: {
    start() { begin(); setInterval(function pollStatus() {}, 200); },
  },
  spin: {
    start() {
      begin();
      (function pollQueue() { for (let i = 0; i < 30000; i++) total = (total + i) & 1023; if (enough()) end('pollQueue'); else setImmediate(pollQueue); })();
    },
  },
  sleeper: {
    start: () => setTimeout(function startSleeper() {
      begin();
      require('child_process').spawn('sleep', ['1000'], { stdio: 'ignore' }).on('exit', () => end('sleep'));
    }, 50),
  },
  socket: {
    start() {
      const net = require('net');
      const server = net.createServer(function sendAll(socket) { begin(); socket.write(Buffer.alloc(16 << 20), function onSent() { end('sendAll'); }); });
      server.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1').pause());
    },
  },
  worker: {
    start() {
      const { Worker } = require('worker_threads');
      const source = `const { parentPort } = require('worker_threads');
parentPort.on('message', function crunchNumbers(ms) {
  const begun = performance.now();
  while (performance.now() - begun < ms);
  parentPort.postMessage(performance.now() - begun);
  parentPort.close();
});`;
      const worker = new Worker(source, { eval: true });
      setTimeout(function askWorker() { begin(); worker.postMessage(forEver ? 1e9 : LENGTH_MS); }, 200);
      worker.on('message', (ms) => say(`TRUTH crunchNumbers ${ms.toFixed(1)}`));
    },
  },
  bundle: { start: () => require(path.join(folder, 'bundle.js')).start(begin, end, enough) },
};

const fault = faults[name];
if (typeof fault === 'function') {
  const blamed = fault();
  setTimeout(function onTimer() {
    begin();
    blamed();
    end(blamed.name);
  }, 50);
} else {
  fault.start();
}
