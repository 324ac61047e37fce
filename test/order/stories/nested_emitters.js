'use strict';
// Events are plain calls: they run at once, whoever emits them.
const EventEmitter = require('events');
const emitter = new EventEmitter();
emitter.on('ping', () => {
  console.log('ping');
  process.nextTick(() => console.log('tick of ping'));
  emitter.emit('pong');
});
emitter.on('pong', () => console.log('pong'));
emitter.once('ping', () => console.log('once'));
setImmediate(() => {
  emitter.emit('ping');
  console.log('after emit');
});
emitter.emit('ping');
