'use strict';
// The places a callback can come from. Each function starts one and calls back once.

const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

// Long enough for a busy machine to run the immediates that were started beside a timer.
const WHILE = 60;

let sockets = 0;
function listening(then) {
  const name = path.join(os.tmpdir(), `rondo-order-${process.pid}-${sockets++}.sock`);
  const server = net.createServer();
  server.listen(name, () => then(server, name));
}

module.exports = {
  tick: (callback) => process.nextTick(callback),
  microtask: (callback) => {
    Promise.resolve().then(callback);
  },
  queue: (callback) => queueMicrotask(callback),
  timer: (callback) => {
    setTimeout(callback, WHILE);
  },
  interval: (callback) => {
    const interval = setInterval(() => {
      clearInterval(interval);
      callback();
    }, WHILE);
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
