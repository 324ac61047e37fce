'use strict';
// The four kinds of streams are the package's; Node 20's defaults (a stream destroys
// itself when it is done) and its newer functions are added.

const base = require('vendor/stream');
const EventEmitter = require('events');
const errors = require('internal/errors');

// A constructor with other defaults on the same prototype, so that every `instanceof` and
// every class that extends it goes on working.
function withDefaults(Base) {
  function Stream(options) {
    if (!(this instanceof Stream)) return new Stream(options);
    Base.call(this, { autoDestroy: true, ...options });
    if (typeof options?.construct === 'function') this._construct = options.construct;
    if (typeof this._construct === 'function') constructLater(this);
    if (options?.signal) addAbortSignal(options.signal, this);
  }
  Object.setPrototypeOf(Stream, Object.getPrototypeOf(Base));
  Object.defineProperty(Stream, 'name', { value: Base.name });
  Stream.prototype = Base.prototype;
  Object.defineProperty(Stream.prototype, 'constructor', { value: Stream, writable: true, configurable: true });
  for (const key of Object.keys(Base)) Stream[key] = Base[key];
  const has = Object.getOwnPropertyDescriptor(Base, Symbol.hasInstance);
  if (has !== undefined)
    Object.defineProperty(Stream, Symbol.hasInstance, {
      value: (object) => Object.prototype.isPrototypeOf.call(Stream.prototype, object) ||
        Stream.prototype === Writable.prototype && Boolean(object?._writableState) && object instanceof Duplex,
    });
  return Stream;
}

// _construct(callback) runs before anything else; reads and writes wait for it.
function constructLater(stream) {
  const hold = ['_read', '_write', '_writev', '_final', '_destroy'];
  const waiting = [];
  let ready = false;
  for (const name of hold) {
    const method = stream[name];
    if (typeof method !== 'function') continue;
    stream[name] = function (...args) {
      if (ready) return method.apply(this, args);
      waiting.push(() => method.apply(this, args));
    };
  }
  process.nextTick(() => {
    stream._construct((error) => {
      ready = true;
      if (error) stream.destroy(error);
      for (const run of waiting.splice(0)) run();
    });
  });
}

const Readable = withDefaults(base.Readable);
const Writable = withDefaults(base.Writable);
const Duplex = withDefaults(base.Duplex);
const Transform = withDefaults(base.Transform);
const PassThrough = withDefaults(base.PassThrough);

Readable.from = function from(iterable, options) {
  if (typeof iterable === 'string' || ArrayBuffer.isView(iterable) && !(iterable instanceof Array)) {
    return new Readable({
      objectMode: true, ...options,
      read() {
        this.push(iterable);
        this.push(null);
      },
    });
  }
  const iterator = iterable?.[Symbol.asyncIterator]?.() ?? iterable?.[Symbol.iterator]?.();
  if (iterator === undefined) throw errors.invalidArgType('iterable', 'an instance of Iterable', iterable);
  let reading = false;
  const stream = new Readable({ objectMode: true, highWaterMark: 1, ...options });
  const next = async () => {
    try {
      for (;;) {
        const { value, done } = await iterator.next();
        if (done) {
          stream.push(null);
          return;
        }
        const chunk = await value;
        if (chunk === null) {
          reading = false;
          throw errors.coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
        }
        if (!stream.push(chunk)) {
          reading = false;
          return;
        }
      }
    } catch (error) {
      stream.destroy(error);
    }
  };
  stream._read = () => {
    if (reading) return;
    reading = true;
    next();
  };
  stream._destroy = (error, callback) => {
    Promise.resolve(iterator.return?.()).then(() => process.nextTick(callback, error),
      (failed) => process.nextTick(callback, error || failed));
  };
  return stream;
};

// --- states that Node 20 shows ---------------------------------------------------------------

function property(prototype, name, get) {
  if (!(name in prototype)) Object.defineProperty(prototype, name, { get, configurable: true, enumerable: false });
}
property(Readable.prototype, 'readableAborted', function () {
  return Boolean(this.destroyed && !this._readableState.endEmitted);
});
property(Readable.prototype, 'readableDidRead', function () {
  return Boolean(this._readableState?.dataEmitted || this._readableState?.endEmitted);
});
property(Readable.prototype, 'readableEnded', function () {
  return Boolean(this._readableState?.endEmitted);
});
property(Readable.prototype, 'readableEncoding', function () {
  return this._readableState?.encoding ?? null;
});
property(Readable.prototype, 'readableObjectMode', function () {
  return Boolean(this._readableState?.objectMode);
});
property(Readable.prototype, 'errored', function () {
  return this._readableState?.errored ?? this._writableState?.errored ?? null;
});
property(Readable.prototype, 'closed', function () {
  return Boolean(this._closed);
});
for (const prototype of [Writable.prototype, Duplex.prototype]) {
  property(prototype, 'writableEnded', function () {
    return Boolean(this._writableState?.ending);
  });
  property(prototype, 'writableFinished', function () {
    return Boolean(this._writableState?.finished);
  });
  property(prototype, 'writableObjectMode', function () {
    return Boolean(this._writableState?.objectMode);
  });
  property(prototype, 'writableCorked', function () {
    return this._writableState?.corked ?? 0;
  });
  property(prototype, 'writableNeedDrain', function () {
    return Boolean(this._writableState?.needDrain && !this.destroyed && !this._writableState.ending);
  });
  property(prototype, 'errored', function () {
    return this._writableState?.errored ?? null;
  });
  property(prototype, 'closed', function () {
    return Boolean(this._closed);
  });
}

Readable.prototype[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')] = function () {
  this.destroy();
  return new Promise((resolve) => finished(this, () => resolve()));
};

// --- functions over streams ---------------------------------------------------------------------

const isNodeStream = (value) => Boolean(value) && typeof value.on === 'function' &&
  (typeof value.pipe === 'function' || typeof value.write === 'function');

function addAbortSignal(signal, stream) {
  errors.validateAbortSignal(signal, 'signal');
  if (!isNodeStream(stream)) throw errors.invalidArgType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
  const abort = () => stream.destroy(new errors.AbortError(undefined, { cause: signal.reason }));
  if (signal.aborted) abort();
  else {
    signal.addEventListener('abort', abort, { once: true });
    finished(stream, () => signal.removeEventListener('abort', abort));
  }
  return stream;
}

function finished(stream, options, callback) {
  if (typeof options === 'function') [options, callback] = [{}, options];
  const clean = base.finished(stream, options ?? {}, function (...args) {
    callback.apply(stream, args);
  });
  return clean;
}

// pipeline also takes iterables at the start, generator functions in between, and an
// array of all of them.
function pipeline(...streams) {
  const callback = streams.pop();
  errors.validateFunction(callback, 'streams[stream.length - 1]');
  if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
  if (streams.length < 2) throw errors.coded(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
  let result;
  let promised;
  const list = [];
  streams.forEach((item, index) => {
    if (isNodeStream(item)) return list.push(item);
    let made = item;
    if (typeof item === 'function') made = item(index === 0 ? undefined : list[list.length - 1], {});
    if (typeof made?.then === 'function') {
      promised = made;
      return;
    }
    // A generator that read from the stream before takes its place.
    const readable = Readable.from(made);
    if (index > 0) {
      const source = list.pop();
      source.on('error', (error) => readable.destroy(error));
    }
    list.push(readable);
  });
  if (promised !== undefined) {
    const before = list[list.length - 1];
    promised.then((value) => process.nextTick(callback, undefined, value), (error) => {
      before?.destroy?.();
      process.nextTick(callback, error);
    });
    return before;
  }
  if (list.length === 1) {
    finished(list[0], callback);
    list[0].resume?.();
    result = list[0];
  } else {
    result = base.pipeline(...list, callback);
  }
  return result;
}

function compose() {
  throw errors.notImplemented('stream.compose');
}

// The old Stream is what everything inherits from; `require('stream')` is it, with the
// kinds as properties.
function Stream(options) {
  EventEmitter.call(this, options);
}
Stream.prototype = Object.getPrototypeOf(Readable.prototype);
Object.setPrototypeOf(Stream, EventEmitter);

let highWaterMark = 16 * 1024;
let highWaterMarkObjects = 16;
module.exports = Object.assign(Stream, {
  isDestroyed: (stream) => Boolean(stream.destroyed),
  isDisturbed: (stream) => Boolean(stream.readableDidRead || stream.readableAborted),
  isErrored: (stream) => Boolean(stream.errored),
  isReadable: (stream) => Boolean(stream.readable),
  isWritable: (stream) => Boolean(stream.writable),
  Readable,
  Writable,
  Duplex,
  Transform,
  PassThrough,
  pipeline,
  addAbortSignal,
  finished,
  destroy: (stream, error) => stream.destroy(error),
  compose,
  setDefaultHighWaterMark(objectMode, value) {
    if (objectMode) highWaterMarkObjects = value;
    else highWaterMark = value;
  },
  getDefaultHighWaterMark: (objectMode) => objectMode ? highWaterMarkObjects : highWaterMark,
  Stream,
  _uint8ArrayToBuffer: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
  _isUint8Array: (value) => value instanceof Uint8Array,
});
Object.defineProperty(Stream, 'promises', { get: () => require('stream/promises'), enumerable: true, configurable: true });
pipeline[Symbol.for('nodejs.util.promisify.custom')] = (...args) => require('stream/promises').pipeline(...args);
finished[Symbol.for('nodejs.util.promisify.custom')] = (...args) => require('stream/promises').finished(...args);
