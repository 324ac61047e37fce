// faults.js KIND [careful]: one operation of a kind that `--faults` lets fail. It takes success for
// granted, or, if it is careful, sees to what fails.
const net = require('net');
const dns = require('dns');
const path = require('path');
const fs = require('fs');
const os = require('os');
const { spawn } = require('child_process');
const [, , kind, careful] = process.argv;

function failed(what) {
  console.log(`${careful ? 'seen' : 'failed'}: ${what}`);
  if (!careful) process.exit(1);
}

// A client that asks again until it is answered.
function connections() {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => socket.end(data));
  });
  const ask = () => {
    let answer = '';
    const client = net.connect(server.address().port, '127.0.0.1', () => client.write('hello'));
    const limit = setTimeout(() => client.destroy(new Error('silent')), 50000);
    client.on('data', (data) => { answer += data; });
    client.on('error', (error) => failed(error.code ?? error.message));
    client.on('close', () => {
      clearTimeout(limit);
      if (answer === 'hello') server.close();
      else setTimeout(ask, 1000);
    });
  };
  server.listen(0, '127.0.0.1', ask);
}

function names() {
  dns.lookup('localhost', (error) => {
    if (error) failed(error.code);
  });
}

function children() {
  spawn('sh', ['-c', 'sleep 100']).on('exit', (code, signal) => {
    if (signal !== null) failed(signal);
  });
}

// Who leaves at once takes what is not written yet along; who says good-bye does not.
function pipes() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-'));
  let got = '';
  const server = net.createServer((socket) => {
    socket.on('data', (data) => { got += data; });
    socket.on('close', () => {
      server.close();
      fs.rmSync(folder, { recursive: true, force: true });
      if (got !== 'hello') failed('lost');
    });
  });
  server.listen(path.join(folder, 'pipe'), () => {
    const client = net.connect(path.join(folder, 'pipe'), () => {
      if (careful) client.end('hello');
      else {
        client.write('hello');
        client.destroy();
      }
    });
  });
}

({ connections, names, children, pipes })[kind]();
