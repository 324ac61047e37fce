'use strict';
// A datagram socket: listening, the send's callback in a tick, the message, close.
const dgram = require('dgram');
const log = (...args) => console.log(...args);
const socket = dgram.createSocket('udp4', (message) => {
  log('message', message.toString());
  process.nextTick(() => log('tick of message'));
  Promise.resolve().then(() => log('microtask of message'));
  setImmediate(() => log('immediate of message'));
  socket.close(() => log('close callback'));
  log('closing');
});
socket.on('close', () => log('close event'));
socket.bind(0, '127.0.0.1', () => {
  log('listening');
  socket.send('hello', socket.address().port, '127.0.0.1', (error, count) => log('sent', error, count));
  process.nextTick(() => log('tick of listening'));
});
log('main');
process.nextTick(() => log('tick'));
