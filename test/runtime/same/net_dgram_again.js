'use strict';
// Sockets that are used again, called the old way, or aborted too late.
const dgram = require('dgram');
const EventEmitter = require('events');
const net = require('net');
const { log } = console;

function Old(...args) { dgram.Socket.apply(this, args); }
Object.setPrototypeOf(Old.prototype, dgram.Socket.prototype);
const old = new Old('udp4');
log(old instanceof dgram.Socket, old instanceof EventEmitter, old.type);
old.bind(0, '127.0.0.1', () => {
  log(old.address().address);
  old.connect(old.address().port, () => {
    for (const args of [['a', 0, 1, 5], ['a', 0, 1, () => {}, 'x'], ['a', 1, 2], [5], [['a', 5]]])
      try {
        old.send(...args);
      } catch (error) {
        log(error.code, error.message);
      }
    old.close();
  });
});
const controller = new AbortController();
dgram.createSocket({ type: 'udp4', signal: controller.signal }).close();
controller.abort();
for (const call of [
  () => dgram.createSocket({ type: 'udp4', recvBufferSize: 'x' }),
  () => net.setDefaultAutoSelectFamily(1), () => net.setDefaultAutoSelectFamilyAttemptTimeout(0),
  () => net.connect({ port: 1, host: 'localhost', autoSelectFamily: 'x' }),
  () => net.connect({ port: 1, host: 'localhost', autoSelectFamilyAttemptTimeout: -1 }),
])
  try {
    log(call());
  } catch (error) {
    log(error.name, error.code, error.message);
  }

const server = net.createServer((socket) => socket.resume().on('end', () => socket.end())).listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const client = net.connect(port, '127.0.0.1', () => client.end('abc'));
  client.resume();
  client.once('close', () => {
    log('first', client.bytesWritten, client.bytesRead);
    client.connect(port, '127.0.0.1', () => client.end('defg'));
    client.once('close', () => {
      log('second', client.bytesWritten, client.bytesRead);
      net.setDefaultAutoSelectFamily(false);
      log(net.getDefaultAutoSelectFamily());
      const lookup = (name, { all }, callback) => {
        log('all', all);
        callback(null, '127.0.0.1', 4);
      };
      net.connect({ port, host: 'example.org', lookup }, function () { this.destroy(); server.close(); });
    });
  });
});
