'use strict';
// stream: the four kinds and the functions over them. They are not taken from the readable-stream
// package, whose version in Debian has the order of events of a Node that is ten versions older.

const { SymbolFor, over } = intrinsics;
const Stream = require('internal/streams/legacy');
const Readable = require('internal/streams/readable');
const Duplex = require('internal/streams/duplex');
const Writable = require('internal/streams/writable');
const { PassThrough, Transform } = require('internal/streams/transform');
const state = require('internal/streams/state');
const { finished } = require('internal/streams/finished');
const { addAbortSignal } = require('internal/streams/signal');
const { notImplemented } = require('internal/errors');

Readable.from = (iterable, options) => require('internal/streams/from')(iterable, options);
Readable.wrap = (source, options) => {
  const objectMode = source.readableObjectMode ?? source.objectMode ?? true;
  const destroy = (error, callback) => {
    source.destroy?.(error);
    callback(error);
  };
  return new Readable({ objectMode, ...options, destroy }).wrap(source);
};

// The operators are many and seldom used: the first use of one loads them all.
const OPERATORS = { // and how many arguments each names
  __proto__: null, map: 2, filter: 2, flatMap: 2, drop: 1, take: 1, forEach: 2, asIndexedPairs: 0, toArray: 1, some: 1, every: 1, find: 2, reduce: 3,
};
for (const name in OPERATORS) {
  const load = {
    [name](...args) {
      require('internal/streams/operators');
      return Reflect.apply(this[name], this, args);
    },
  }[name];
  Object.defineProperty(load, 'length', { __proto__: null, value: OPERATORS[name], configurable: true });
  Object.defineProperty(Readable.prototype, name, { __proto__: null, value: load, enumerable: false, configurable: true, writable: true });
}

Readable.prototype[Symbol.asyncDispose] = function () {
  let ours = null;
  if (!this.destroyed) {
    ours = new (require('internal/errors').AbortError)();
    this.destroy(ours);
  }
  return new Promise((resolve, reject) => {
    finished(this, (error) => !error || error === ours ? resolve(null) : reject(error));
  });
};

Writable.prototype[Symbol.asyncDispose] = function () {
  return Reflect.apply(Readable.prototype[Symbol.asyncDispose], this, []);
};

const custom = SymbolFor('nodejs.util.promisify.custom');
const pipeline = (...streams) => require('internal/streams/pipeline').pipeline(streams);
for (const step of over([pipeline, finished]))
  Object.defineProperty(step, custom, { __proto__: null, enumerable: true, get: () => require('stream/promises')[step.name] });

module.exports = Object.assign(Stream, {
  Duplex,
  PassThrough,
  Readable,
  Stream,
  Transform,
  Writable,
  addAbortSignal,
  compose() { throw notImplemented('stream.compose'); },
  duplexPair: (options) => require('internal/streams/pair')(options),
  destroy: (stream, error) => require('internal/streams/abandon')(stream, error),
  finished,
  getDefaultHighWaterMark: state.getDefaultHighWaterMark,
  isDestroyed: state.isDestroyed,
  isDisturbed: state.isDisturbed,
  isErrored: state.isErrored,
  isReadable: state.isReadable,
  isWritable: state.isWritable,
  pipeline,
  setDefaultHighWaterMark: state.setDefaultHighWaterMark,
  _isUint8Array: (value) => value instanceof Uint8Array,
  _uint8ArrayToBuffer: (chunk) => require('buffer').Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
});
Object.defineProperty(Stream, 'promises', { __proto__: null,
  configurable: true,
  enumerable: true,
  get: () => require('stream/promises'),
});
