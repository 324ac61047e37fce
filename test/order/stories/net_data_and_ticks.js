'use strict';
// Each chunk of a socket is a callback of its own, with its ticks and microtasks after it.
const net = require('net');
const log = (...args) => console.log(...args);
const server = net.createServer((socket) => {
  socket.on('data', (data) => {
    log('server data', data.toString());
    process.nextTick(() => log('server tick'));
    Promise.resolve().then(() => log('server microtask'));
    setImmediate(() => {
      log('server immediate');
      socket.write('pong', () => log('server written'));
    });
  });
  socket.on('end', () => log('server end'));
  socket.on('close', () => {
    log('server close');
    server.close(() => log('closed'));
  });
}).listen(0, '127.0.0.1', () => {
  log('listening');
  let rounds = 0;
  const client = net.connect(server.address().port, '127.0.0.1', () => {
    log('connected');
    client.write('ping', () => log('client written'));
    process.nextTick(() => log('client tick'));
  });
  client.on('data', (data) => {
    log('client data', data.toString());
    if (++rounds === 3) client.end();
    else client.write('ping');
  });
  client.on('close', () => log('client close'));
});
log('main');
