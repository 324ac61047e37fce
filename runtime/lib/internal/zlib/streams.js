'use strict';
// The streams of zlib: a Transform whose chunks go through a codec, and its nine kinds.

// own methods: codec, stream, this, this._handle
const { ArrayBufferIsView, NumberIsFinite, NumberIsNaN, arrayIndexOf, over } = intrinsics;
const binding = native('zlib');
const { Buffer, kMaxLength } = require('buffer');
const { Transform } = require('internal/streams/transform');
const { finished } = require('internal/streams/finished');
const { isAnyArrayBuffer } = require('internal/kinds');
const { coded, invalidArgType, outOfRange, validateNumber } = require('internal/errors');
const { constants } = require('internal/zlib/constants');
const { Codec, close, resume, runSync, start } = require('internal/zlib/codec');

const {
  DEFLATE, INFLATE, GZIP, GUNZIP, DEFLATERAW, INFLATERAW, UNZIP, BROTLI_DECODE, BROTLI_ENCODE, Z_NO_FLUSH, Z_BLOCK, Z_PARTIAL_FLUSH,
  Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH, BROTLI_OPERATION_PROCESS, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH,
  BROTLI_OPERATION_EMIT_METADATA,
} = constants;

// --- options -----------------------------------------------------------------------------------

// False for what stands for the default.
function isNumber(value, name) {
  if (value === undefined || NumberIsNaN(value)) return false;
  if (NumberIsFinite(value)) return true;
  validateNumber(value, name);
  throw outOfRange(name, 'a finite number', value);
}

function inRange(value, name, least, most, otherwise) {
  if (!isNumber(value, name)) return otherwise;
  if (value < least || value > most) throw outOfRange(name, `>= ${least} and <= ${most}`, value);
  return value;
}

function chunkSizeOf(options) {
  const { chunkSize } = options;
  if (!isNumber(chunkSize, 'options.chunkSize')) return constants.Z_DEFAULT_CHUNK;
  if (chunkSize < constants.Z_MIN_CHUNK) throw outOfRange('options.chunkSize', `>= ${constants.Z_MIN_CHUNK}`, chunkSize);
  return chunkSize;
}

function dictionaryOf({ dictionary }) {
  if (dictionary === undefined || ArrayBufferIsView(dictionary)) return dictionary;
  if (isAnyArrayBuffer(dictionary)) return Buffer.from(dictionary);
  throw invalidArgType('options.dictionary', 'an instance of Buffer, TypedArray, DataView, or ArrayBuffer', dictionary);
}

// A reader may leave the size of the window to the data's head.
const readsWindow = (mode) => mode === INFLATE || mode === GUNZIP || mode === UNZIP;
const NO_OPTIONS = { __proto__: null };

function windowBitsOf(options, mode) {
  const { windowBits } = options;
  if (options !== NO_OPTIONS && readsWindow(mode) && (windowBits === undefined || windowBits === null || windowBits === 0)) return 0;
  return inRange(windowBits, 'options.windowBits', mode === GZIP ? 9 : 8, 15, 15);
}

// --- what all have in common ----------------------------------------------------------------------

const OF_ZLIB = { flush: Z_NO_FLUSH, finishFlush: Z_FINISH, fullFlush: Z_FULL_FLUSH, most: Z_BLOCK };
const OF_BROTLI = {
  flush: BROTLI_OPERATION_PROCESS, finishFlush: BROTLI_OPERATION_FINISH, fullFlush: BROTLI_OPERATION_FLUSH, most: BROTLI_OPERATION_EMIT_METADATA,
};

// token: of native('zlib')
function ZlibBase(options, mode, token, defaults) {
  const asked = options ?? NO_OPTIONS;
  const chunkSize = chunkSizeOf(asked);
  const flush = inRange(asked.flush, 'options.flush', 0, defaults.most, defaults.flush);
  const finishFlush = inRange(asked.finishFlush, 'options.finishFlush', 0, defaults.most, defaults.finishFlush);
  const maxOutputLength = inRange(asked.maxOutputLength, 'options.maxOutputLength', 1, kMaxLength, kMaxLength);
  // What is written is bytes.
  const bytesOnly = asked.encoding || asked.objectMode || asked.writableObjectMode;
  const bytes = bytesOnly ? { encoding: null, objectMode: false, writableObjectMode: false } : {};
  this._writeState = new Uint32Array(2);
  Reflect.apply(Transform, this, [{ autoDestroy: true, ...asked, ...bytes }]);
  this.bytesWritten = 0;
  this._handle = new Codec(token, this);
  this._outBuffer = Buffer.allocUnsafe(chunkSize);
  this._outOffset = 0;
  this._chunkSize = chunkSize;
  this._defaultFlushFlag = flush;
  this._finishFlushFlag = finishFlush;
  this._defaultFullFlushFlag = defaults.fullFlush;
  this._info = asked.info;
  this._maxOutputLength = maxOutputLength;
}
Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
Object.setPrototypeOf(ZlibBase, Transform);

// How far each of zlib's flushes goes, for the one that is also due at the end.
const REACH = [Z_NO_FLUSH, Z_BLOCK, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH];
const further = (one, other) => arrayIndexOf.call(REACH, one) > arrayIndexOf.call(REACH, other) ? one : other;

// A flush takes its turn among the chunks: an empty one that stands for it.
const flushOf = new WeakMap();
const flushChunks = { __proto__: null };
for (let flag = Z_NO_FLUSH; flag <= Z_BLOCK; flag++) {
  flushChunks[flag] = Buffer.alloc(0);
  flushOf.set(flushChunks[flag], flag);
}

let isReadOnce = false; // bytesRead
function warnOfBytesRead() {
  if (isReadOnce) return;
  isReadOnce = true;
  process.emitWarning('zlib.bytesRead is deprecated and will change its meaning in the future. Use zlib.bytesWritten instead.',
    'DeprecationWarning', 'DEP0108');
}

function needOpen(stream) {
  if (!stream._handle) throw coded(Error, 'ERR_INTERNAL_ASSERTION', 'zlib binding closed');
  return stream._handle;
}

Object.defineProperties(ZlibBase.prototype, {
  _closed: { __proto__: null, configurable: true, enumerable: true, get() { return !this._handle; } },
  bytesRead: {
    __proto__: null, configurable: true, enumerable: true,
    get() {
      warnOfBytesRead();
      return this.bytesWritten;
    },
    set(value) {
      warnOfBytesRead();
      this.bytesWritten = value;
    },
  },
});

Object.assign(ZlibBase.prototype, {
  reset() {
    needOpen(this).reset();
  },

  // All of it is in _flush, which comes after it.
  _final(callback) {
    callback();
  },

  _flush(callback) {
    this._transform(Buffer.alloc(0), '', callback);
  },

  flush(kind, callback) {
    if (typeof kind === 'function' || kind === undefined && !callback) {
      callback = kind;
      kind = this._defaultFullFlushFlag;
    }
    if (this.writableFinished) {
      if (callback) process.nextTick(callback);
    } else if (this.writableEnded) {
      if (callback) this.once('end', callback);
    } else {
      this.write(flushChunks[kind], '', callback);
    }
  },

  close(callback) {
    if (callback) finished(this, callback);
    this.destroy();
  },

  _destroy(error, callback) {
    close(this);
    callback(error);
  },

  _transform(chunk, encoding, callback) {
    let flag = this._defaultFlushFlag;
    // The last chunk is known by what is left to write, so that it can be finished with it.
    const asked = flushOf.get(chunk);
    if (asked !== undefined) flag = asked;
    if (this.writableEnded && this.writableLength === chunk.byteLength) flag = further(flag, this._finishFlushFlag);
    start(this, chunk, flag, callback);
  },

  _processChunk(chunk, flag, callback) {
    if (typeof callback !== 'function') return runSync(this, chunk, flag);
    start(this, chunk, flag, callback);
    return undefined;
  },
});

Object.defineProperty(ZlibBase.prototype, '_read', {
  __proto__: null, configurable: true, writable: true, enumerable: false,
  value: function _read(size) {
    resume(this);
    Reflect.apply(Transform.prototype._read, this, [size]);
  },
});

// --- zlib's kinds ------------------------------------------------------------------------------------

function Zlib(options, mode) {
  const asked = options ?? NO_OPTIONS;
  const windowBits = windowBitsOf(asked, mode);
  const level = inRange(asked.level, 'options.level', -1, 9, -1);
  const memLevel = inRange(asked.memLevel, 'options.memLevel', 1, 9, 8);
  const strategy = inRange(asked.strategy, 'options.strategy', 0, 4, 0);
  const token = binding.open(mode, windowBits, level, memLevel, strategy, dictionaryOf(asked));
  if (token === undefined) throw noCodec();
  Reflect.apply(ZlibBase, this, [options, mode, token, OF_ZLIB]);
  this._level = level;
  this._strategy = strategy;
}
Object.setPrototypeOf(Zlib.prototype, ZlibBase.prototype);
Object.setPrototypeOf(Zlib, ZlibBase);

const noCodec = () => coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed');

Zlib.prototype.params = function params(level, strategy, callback) {
  inRange(level, 'level', -1, 9);
  inRange(strategy, 'strategy', 0, 4);
  if (this._level === level && this._strategy === strategy) {
    process.nextTick(callback);
    return;
  }
  // What was written before is compressed as it was meant.
  this.flush(Z_SYNC_FLUSH, () => {
    needOpen(this).params(level, strategy);
    if (this.destroyed) return;
    this._level = level;
    this._strategy = strategy;
    if (callback) callback();
  });
};

function kindOf(Base, name, init) {
  const Kind = {
    [name]: function (opts) {
      if (!(this instanceof Kind)) return new Kind(opts);
      Reflect.apply(Base, this, init(opts));
    },
  }[name];
  Object.setPrototypeOf(Kind.prototype, Base.prototype);
  Object.setPrototypeOf(Kind, Base);
  return Kind;
}

const kinds = { __proto__: null };
const modes = { __proto__: null, Deflate: DEFLATE, Inflate: INFLATE, Gzip: GZIP, Gunzip: GUNZIP, InflateRaw: INFLATERAW, Unzip: UNZIP };
for (const name of over(Object.keys(modes))) kinds[name] = kindOf(Zlib, name, (options) => [options, modes[name]]);
// The library can't write raw data with a window of 256 bytes.
kinds.DeflateRaw = kindOf(Zlib, 'DeflateRaw', (options) =>
  [options && options.windowBits === 8 ? { ...options, windowBits: 9 } : options, DEFLATERAW]);

// --- brotli's -----------------------------------------------------------------------------------------

const MOST_PARAMETER = 9;

function parametersOf(options) {
  const list = [];
  const asked = options?.params;
  if (!asked) return list;
  for (const key of over(Object.keys(asked))) {
    const number = Number(key);
    if (!(number >= 0 && number <= MOST_PARAMETER && number % 1 === 0) || list[number] !== undefined)
      throw coded(RangeError, 'ERR_BROTLI_INVALID_PARAM', `${key} is not a valid Brotli parameter`);
    const value = asked[key];
    if (typeof value !== 'number' && typeof value !== 'boolean') throw invalidArgType('options.params[key]', 'of type number', value);
    list[number] = Number(value);
  }
  return list;
}

function Brotli(options, mode) {
  const token = binding.open(mode, 0, 0, 0, 0, undefined, parametersOf(options));
  if (token === undefined) throw noCodec();
  Reflect.apply(ZlibBase, this, [options, mode, token, OF_BROTLI]);
}
Object.setPrototypeOf(Brotli.prototype, Zlib.prototype);
Object.setPrototypeOf(Brotli, Zlib);
kinds.BrotliCompress = kindOf(Brotli, 'BrotliCompress', (options) => [options, BROTLI_ENCODE]);
kinds.BrotliDecompress = kindOf(Brotli, 'BrotliDecompress', (options) => [options, BROTLI_DECODE]);

module.exports = kinds;
