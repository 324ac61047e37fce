'use strict';
// Stream: what all kinds inherit from, an EventEmitter with the pipe of old.

const EventEmitter = require('events');

function Stream(options) {
  EventEmitter.call(this, options);
}
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);

Stream.prototype.pipe = function (dest, options) {
  const source = this;
  const onData = (chunk) => {
    if (dest.writable && dest.write(chunk) === false) source.pause?.();
  };
  const onDrain = () => {
    if (source.readable) source.resume?.();
  };
  let ended = false;
  const onEnd = () => {
    if (ended) return;
    ended = true;
    dest.end();
  };
  const onClose = () => {
    if (ended) return;
    ended = true;
    if (typeof dest.destroy === 'function') dest.destroy();
  };
  const onError = function (error) {
    clean();
    if (EventEmitter.listenerCount(this, 'error') === 0) this.emit('error', error);
  };
  const clean = () => {
    source.removeListener('data', onData);
    dest.removeListener('drain', onDrain);
    for (const event of ['end', 'close']) {
      source.removeListener(event, event === 'end' ? onEnd : onClose);
      source.removeListener(event, clean);
    }
    source.removeListener('error', onError);
    dest.removeListener('error', onError);
    dest.removeListener('close', clean);
  };
  source.on('data', onData);
  dest.on('drain', onDrain);
  if (!dest._isStdio && options?.end !== false) {
    source.on('end', onEnd);
    source.on('close', onClose);
  }
  source.prependListener('error', onError);
  dest.prependListener('error', onError);
  source.on('end', clean);
  source.on('close', clean);
  dest.on('close', clean);
  dest.emit('pipe', source);
  return dest;
};

module.exports = Stream;
