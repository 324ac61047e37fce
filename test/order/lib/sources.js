'use strict';
// The places a callback can come from. Each function starts one and calls back once.

const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

let sockets = 0;
function listening(then) {
  const name = path.join(os.tmpdir(), `rondo-order-${process.pid}-${sockets++}.sock`);
  fs.rmSync(name, { force: true }); // of a process that was killed and had this one's number
  const server = net.createServer();
  server.listen(name, () => then(server, name));
}

module.exports = {
  tick: (callback) => process.nextTick(callback),
  microtask: (callback) => {
    Promise.resolve().then(callback);
  },
  queue: (callback) => queueMicrotask(callback),
  // From an immediate, so that no clock decides between a timer and the immediates that
  // were started beside it: a busy machine may stop for longer than any delay.
  timer: (callback) => {
    setImmediate(() => setTimeout(callback, 1));
  },
  interval: (callback) => {
    setImmediate(() => {
      const interval = setInterval(() => {
        clearInterval(interval);
        callback();
      }, 1);
    });
  },
  immediate: (callback) => {
    setImmediate(callback);
  },
  file: (callback) => fs.readFile(__filename, () => callback()),
  // Data that a server sends.
  socket: (callback) => listening((server, name) => {
    server.once('connection', (peer) => peer.end('hello'));
    net.connect(name).once('data', () => {
      server.close();
      callback();
    });
  }),
  child: (callback) => {
    require('child_process').execFile('true', () => callback());
  },
  // The end of a handle: the loop's closing phase.
  close: (callback) => listening((server, name) => {
    const socket = net.connect(name, () => {
      server.close();
      socket.destroy();
    });
    socket.once('close', () => callback());
  }),
  beforeExit: (callback) => process.once('beforeExit', () => callback()),
  error: (callback) => {
    process.once('uncaughtException', () => callback());
    setImmediate(() => {
      throw new Error('on purpose');
    });
  },
  rejection: (callback) => {
    process.once('unhandledRejection', () => callback());
    Promise.reject(new Error('on purpose'));
  },
};
