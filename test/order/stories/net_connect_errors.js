'use strict';
// A refused connection: the error, then the close, with ticks and microtasks after each.
const net = require('net');
const log = (...args) => console.log(...args);
const socket = net.connect(1, '127.0.0.1');
socket.on('error', (error) => {
  log('error', error.code);
  process.nextTick(() => log('tick of error'));
  Promise.resolve().then(() => log('microtask of error'));
  setImmediate(() => log('immediate of error'));
});
socket.on('close', (failed) => {
  log('close', failed);
  process.nextTick(() => log('tick of close'));
  Promise.resolve().then(() => log('microtask of close'));
  setImmediate(() => log('immediate of close'));
});
log('connecting', socket.connecting);
process.nextTick(() => log('tick'));
Promise.resolve().then(() => log('microtask'));
