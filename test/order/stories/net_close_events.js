'use strict';
// destroy(): the error in a tick, 'close' from the closing phase, after immediates of the
// same callback.
const net = require('net');
const log = (...args) => console.log(...args);
const server = net.createServer((socket) => {
  socket.on('error', (error) => log('error', error.message));
  socket.on('close', (failed) => {
    log('close', failed);
    server.close(() => log('server closed'));
  });
  setImmediate(() => log('immediate'));
  process.nextTick(() => log('tick before'));
  socket.destroy(new Error('on purpose'));
  process.nextTick(() => log('tick after'));
  Promise.resolve().then(() => log('microtask'));
  log(socket.destroyed, socket.closed);
}).listen(0, '127.0.0.1', () => {
  net.connect(server.address().port, '127.0.0.1').resume().on('close', (failed) => log('client close', failed));
});
