'use strict';
// Closing a server: its callback comes in a tick once the last connection is gone.
const net = require('net');
const log = (text) => console.log(text);
const idle = net.createServer().listen(0, '127.0.0.1', () => {
  log('listening');
  idle.close(() => log('close callback'));
  idle.on('close', () => log('close event'));
  process.nextTick(() => log('tick'));
  Promise.resolve().then(() => log('microtask'));
  setImmediate(() => {
    log('immediate');
    busy();
  });
});
function busy() {
  const server = net.createServer((socket) => {
    server.close(() => log('busy server closed'));
    setTimeout(() => {
      log('letting go');
      socket.end();
      socket.resume();
    }, 10);
  }).listen(0, '127.0.0.1', () => {
    net.connect(server.address().port, '127.0.0.1').resume().on('close', () => log('client close'));
  });
}
