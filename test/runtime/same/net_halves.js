'use strict';
// Half-open connections, pausing, time-outs, local sockets, pressure.
const net = require('net');
const os = require('os');
const fs = require('fs');
const path = require('path');
const log = (...args) => console.log(...args);
const steps = [
  function halfOpen(next) {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('end', () => {
        log('server: end', socket.writable, socket.readyState);
        setTimeout(() => socket.end('last words'), 10);
      });
      socket.resume();
    }).listen(0, '127.0.0.1', () => {
      const client = net.connect({ port: server.address().port, host: '127.0.0.1', allowHalfOpen: true }, () => client.end('done'));
      client.on('data', (data) => log('client: data', data.toString()));
      client.on('end', () => log('client: end'));
      client.on('close', () => server.close(next));
    });
  },
  function answerEndWithEnd(next) {
    const server = net.createServer((socket) => {
      socket.on('end', () => log('server: end', socket.writable));
      socket.on('finish', () => log('server: finish'));
      socket.on('close', () => log('server: close'));
      socket.resume();
    }).listen(0, '127.0.0.1', () => {
      let ended = false;
      const client = net.connect(server.address().port, '127.0.0.1', () => client.end());
      client.resume().on('end', () => { ended = true; }).on('close', () => server.close(() => {
        log('client: end', ended);
        next();
      }));
    });
  },
  function paused(next) {
    const server = net.createServer({ pauseOnConnect: true }, (socket) => {
      log('paused', socket.isPaused());
      socket.on('data', (data) => log('server: data', data.toString()));
      socket.on('end', () => socket.end());
      setTimeout(() => {
        log('resuming');
        socket.resume();
      }, 20);
    }).listen(0, '127.0.0.1', () => {
      net.connect(server.address().port, '127.0.0.1').end('waited for').resume().on('close', () => server.close(next));
    });
  },
  function silence(next) {
    const server = net.createServer((socket) => socket.on('end', () => socket.end())).listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1');
      client.setTimeout(20, () => log('timeout listener', client.timeout));
      client.on('timeout', () => {
        log('timeout event');
        client.setTimeout(0);  // an end that takes longer than the time-out is no silence
        client.end();
      });
      client.resume().on('close', () => server.close(next));
      server.on('connection', (socket) => socket.resume());
    });
  },
  function localSocket(next) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-'));
    const name = path.join(dir, 'socket');
    const server = net.createServer((socket) => socket.pipe(socket)).listen(name, () => {
      log(server.address() === name, fs.statSync(name).isSocket());
      const client = net.connect(name, () => client.end('through a file name'));
      client.on('data', (data) => log(data.toString(), client.remoteAddress, client.address()));
      client.on('close', () => server.close(() => {
        log(fs.existsSync(name));
        fs.rmSync(dir, { recursive: true });
        next();
      }));
    });
  },
  function pressure(next) {
    const size = 4 * 1024 * 1024;
    let received = 0;
    const server = net.createServer((socket) => {
      socket.pause();
      setTimeout(() => socket.on('data', (data) => { received += data.length; }).resume(), 30);
      socket.on('end', () => log('received', received === size));
    }).listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1', () => {
        log('room', client.write(Buffer.alloc(size)), client.writableNeedDrain, client.writableLength > 0);
        client.on('drain', () => {
          log('drain', client.bytesWritten === size, client.writableLength);
          client.end();
        });
      });
      client.resume().on('close', () => server.close(next));
    });
  },
  function manySmall(next) {
    const server = net.createServer((socket) => {
      let text = '';
      socket.setEncoding('utf8').on('data', (more) => { text += more; }).on('end', () => log(text.length, text.slice(0, 12), text.slice(-8)));
    }).listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1');
      for (let i = 0; i < 1000; i++) client.write(`${i},`);
      log(client.bytesWritten, client.writableLength);
      client.end('é€', 'utf8');
      client.resume().on('close', () => {
        log(client.bytesWritten);
        server.close(next);
      });
    });
  },
  function limit(next) {
    const server = net.createServer((socket) => socket.resume());
    server.maxConnections = 1;
    server.on('drop', (data) => log('drop', data.localFamily, data.remoteAddress));
    server.listen(0, '127.0.0.1', () => {
      const first = net.connect(server.address().port, '127.0.0.1', () => {
        const second = net.connect(server.address().port, '127.0.0.1');
        second.resume().on('error', () => {}).on('close', () => {
          log('second closed');
          first.end();
          server.close(next);
        });
      });
      first.resume();
    });
  },
  function references(next) {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      log(server.unref() === server, server.ref() === server);
      const control = new AbortController();
      const other = net.createServer().listen({ port: 0, host: '127.0.0.1', signal: control.signal }, () => control.abort());
      other.on('close', () => {
        log('aborted');
        server.close(next);
      });
    });
  },
];
let at = 0;
(function next() {
  if (at === steps.length) return;
  log(`-- ${steps[at].name}`);
  steps[at++](next);
})();
