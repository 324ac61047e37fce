'use strict';
// Stream: the base of all kinds, an EventEmitter with the old pipe().

const { ArrayIsArray, arrayPush, arraySplice, arrayUnshift, over } = intrinsics;
const EventEmitter = require('events');

function Stream(options) {
  Reflect.apply(EventEmitter, this, [options]);
}
Object.setPrototypeOf(Stream, EventEmitter);
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);

// The listeners of a pipe, so that all can be removed at once.
class Listening {
  #all = [];

  to(emitter, event, listener, isFirst = false) {
    if (isFirst) prependListener(emitter, event, listener);
    else emitter.on(event, listener);
    arrayPush.call(this.#all, [emitter, event, listener]);
  }

  stop() {
    for (const { 0: emitter, 1: event, 2: listener } of over(arraySplice.call(this.#all, 0))) emitter.removeListener(event, listener);
  }
}

// The end of one stream ends the other, once, whichever event comes.
function endAlong(listening, from, to) {
  let isOver = false;
  const first = (action) => () => {
    if (!isOver) action(isOver = true);
  };
  listening.to(from, 'end', first(() => to.end()));
  listening.to(from, 'close', first(() => {
    if (typeof to.destroy === 'function') to.destroy();
  }));
}

// Adds a listener at the front, also to an emitter with only the old methods.
function prependListener(emitter, event, listener) {
  if (typeof emitter.prependListener === 'function') {
    emitter.prependListener(event, listener);
    return;
  }
  const existing = emitter._events?.[event];
  if (!existing) emitter.on(event, listener);
  else if (ArrayIsArray(existing)) arrayUnshift.call(existing, listener);
  else emitter._events[event] = [listener, existing];
}

Stream.prototype.pipe = function (to, options) {
  const listening = new Listening();
  const stop = () => listening.stop();
  // The pipe doesn't count as a handler of errors: if it is the only listener, the error is thrown.
  function failed(error) {
    stop();
    if (EventEmitter.listenerCount(this, 'error') < 1) this.emit('error', error);
  }
  listening.to(this, 'data', (chunk) => {
    const full = to.writable && to.write(chunk) === false;
    if (full) this.pause?.();
  });
  listening.to(to, 'drain', () => {
    if (this.readable) this.resume?.();
  });
  if (options?.end !== false && !to._isStdio) endAlong(listening, this, to);
  for (const emitter of over([this, to])) listening.to(emitter, 'error', failed, true);
  listening.to(this, 'end', stop);
  for (const emitter of over([this, to])) listening.to(emitter, 'close', stop);
  to.emit('pipe', this);
  return to;
};

require('internal/tools').prependListener = prependListener;

module.exports = Stream;
