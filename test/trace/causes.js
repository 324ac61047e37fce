// A server that is slow for three reasons, and its own client: check_causes reads what
// `rondo trace --text` says about it. Where there is no http, lines of text are the requests.
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { execFileSync } = require('child_process');

let http;
try {
  http = require('http');
} catch {
  // on the runtime
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-causes-'));
const fifo = path.join(folder, 'fifo');
execFileSync('mkfifo', [fifo]);
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const large = `[${Array(400000).fill('{"id":1,"name":"a row","tags":["a","b"]}').join(',')}]`;

const used = () => process.cpuUsage().user / 1000;

// As often as it takes to be the machine's slowest answer but one.
function parseReport() {
  const start = used();
  let rows = 0;
  do rows = JSON.parse(large).length;
  while (used() - start < 150);
  return rows;
}

async function hogStep(n) {
  let sum = 0;
  for (let i = 0; i < 20000; i++) sum += Math.sqrt(i * n);
  return sum;
}

async function hogMicrotasks() {
  const start = used();
  let sum = 0;
  while (used() - start < 300) sum += await hogStep(sum);
  return sum;
}

// Opening a FIFO takes a thread until somebody writes to it: all four.
function starvePool(done) {
  let copied = 0;
  for (let i = 0; i < 4; i++) fs.copyFile(fifo, path.join(folder, `copy${i}`), () => { copied++; });
  fs.access(__filename, done);
  setTimeout(function openFifo() {
    if (copied === 4) return;
    setTimeout(openFifo, 20);
    fs.closeSync(fs.openSync(fifo, fs.constants.O_RDWR));
  }, 200);
}

function onRequest(route, answer) {
  if (route === '/json') answer(String(parseReport()));
  else if (route === '/tasks') hogMicrotasks().then((sum) => answer(String(sum)));
  else starvePool(() => answer('there'));
}

const server = http ?
  http.createServer(function onHttp({ url }, response) { onRequest(url, (text) => response.end(text)); }) :
  net.createServer(function onClient(socket) {
    socket.on('data', function onLine(line) { onRequest(String(line), (text) => socket.end(text)); });
  });

function ask(route, port, done) {
  if (http) {
    http.get({ port, path: route, host: '127.0.0.1', agent: false }, (answer) => answer.resume().on('end', done));
    return;
  }
  const client = net.connect(port, '127.0.0.1', () => client.write(route));
  client.resume().on('close', done);
}

server.listen(0, '127.0.0.1', async () => {
  for (const route of ['/json', '/tasks', '/pool'])
    await new Promise((done) => { ask(route, server.address().port, done); });
  server.close();
});
