'use strict';
// Duplex: a Readable and a Writable in one.

const Readable = require('internal/streams/readable');

module.exports = Duplex; // before the other half, which asks for it
const Writable = require('internal/streams/writable');

function Duplex(options) {
  if (!(this instanceof Duplex)) return new Duplex(options);
  Readable.call(this, options);
  Writable.call(this, options);
  this.allowHalfOpen = options?.allowHalfOpen !== false;
  if (options?.readable === false) {
    this._readableState.readable = false;
    this._readableState.ended = true;
    this._readableState.endEmitted = true;
  }
  if (options?.writable === false) {
    this._writableState.writable = false;
    this._writableState.ending = true;
    this._writableState.ended = true;
    this._writableState.finished = true;
  }
  if (options?.signal) require('internal/streams/signal').addAbortSignal(options.signal, this);
}
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);

for (const key of Object.getOwnPropertyNames(Writable.prototype))
  if (!(key in Readable.prototype) || key === 'destroy')
    Object.defineProperty(Duplex.prototype, key, Object.getOwnPropertyDescriptor(Writable.prototype, key));
Duplex.prototype.constructor = Duplex;

// Both halves have these; here they speak of both.
for (const [name, get, set] of [
  ['destroyed', function () {
    return Boolean(this._readableState && this._writableState && this._readableState.destroyed && this._writableState.destroyed);
  }, function (value) {
    if (this._readableState && this._writableState) {
      this._readableState.destroyed = value;
      this._writableState.destroyed = value;
    }
  }],
  ['closed', function () { return this._writableState ? this._writableState.closed : false; }],
  ['errored', function () { return this._writableState ? this._writableState.errored : null; }],
])
  Object.defineProperty(Duplex.prototype, name, { get, set, configurable: true, enumerable: false });

Duplex.from = function (source) {
  if (source instanceof Duplex) return source;
  return Readable.from(source);
};
