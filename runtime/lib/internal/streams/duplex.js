'use strict';
// Duplex: a Readable and a Writable in one. It inherits from Readable and copies the other methods
// from Writable.

const { arrayEvery, over } = intrinsics;
const { invalidArgType } = require('internal/errors');
const Readable = require('internal/streams/readable');

module.exports = Duplex; // before the other half, which requires it
const Writable = require('internal/streams/writable');

// A half that the options exclude has ended from the start.
const unread = { readable: false, ended: true, endEmitted: true };
const unwritten = { writable: false, ending: true, ended: true, finished: true };

const NONE = { __proto__: null };

function Duplex(options) {
  if (!new.target && !(this instanceof Duplex)) return new Duplex(options);
  this._events ??= {
    close: undefined, error: undefined, prefinish: undefined, finish: undefined, drain: undefined,
    data: undefined, end: undefined, readable: undefined,
  };
  Reflect.apply(Readable, this, [options]);
  Reflect.apply(Writable, this, [options]);
  const { allowHalfOpen, readable, writable, signal } = options ?? NONE;
  this.allowHalfOpen = allowHalfOpen !== false;
  if (readable === false) Object.assign(this._readableState, unread);
  if (writable === false) Object.assign(this._writableState, unwritten);
  if (signal) require('internal/streams/signal').addAbortSignal(signal, this);
}
Object.setPrototypeOf(Duplex, Readable);
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);

const borrowed = Object.getOwnPropertyDescriptors(Writable.prototype);
for (const name of over(Reflect.ownKeys(borrowed)))
  if (name in Readable.prototype) delete borrowed[name];

// Both halves have these. destroy() of the writing half handles waiting writes; its error and
// closed state are shared with the other half.
const { destroy, closed, errored } = Object.getOwnPropertyDescriptors(Writable.prototype);
Object.defineProperties(Duplex.prototype, {
  ...borrowed,
  destroy,
  closed,
  errored,
  destroyed: { __proto__: null,
    get() {
      return Boolean(this._writableState?.destroyed && this._readableState?.destroyed);
    },
    set(value) {
      const halves = [this._readableState, this._writableState];
      if (arrayEvery.call(halves, Boolean)) for (const half of over(halves)) half.destroyed = value;
    },
    configurable: true,
    enumerable: false,
  },
});

Duplex.from = (source) => {
  if (source instanceof Duplex) return source;
  if (!source?.[Symbol.asyncIterator] && !source?.[Symbol.iterator] && source !== '')
    throw invalidArgType('body', 'of type function or an instance of Blob, ReadableStream, WritableStream, Stream, ' +
      'Iterable, AsyncIterable, or Promise or { readable, writable } pair', source);
  return Readable.from(source);
};
