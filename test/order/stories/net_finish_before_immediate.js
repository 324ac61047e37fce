'use strict';
// The end of a socket's writing side is told before the immediates set beside it; its
// close comes from the closing phase.
const net = require('net');
const log = (text) => console.log(text);
const server = net.createServer((socket) => {
  log('connection');
  socket.on('finish', () => log('finish'));
  socket.on('close', () => log('close'));
  socket.end();
  socket.resume();
  setImmediate(() => log('immediate'));
  process.nextTick(() => log('tick'));
  Promise.resolve().then(() => log('microtask'));
  server.close();
}).listen(0, '127.0.0.1', () => {
  net.connect(server.address().port, '127.0.0.1').resume().on('end', () => log('client end')).on('close', () => log('client close'));
});
