'use strict';
// zlib: compression as streams, with callbacks and at once. The work is C's (zlib/codec.h), in an
// object that is loaded here.

// own methods: engine
const { ArrayBufferIsView, arrayPush, over, stringSlice, stringToLowerCase } = intrinsics;
const binding = native('zlib');
const { invalidArgType, notImplemented, validateFunction, validateUint32 } = require('internal/errors');

if (binding.problem !== undefined) throw notImplemented(`Module 'zlib' (${binding.problem})`);

const { Buffer } = require('buffer');
const { isAnyArrayBuffer } = require('internal/kinds');
const { codes, constants, ofZlib } = require('internal/zlib/constants');
const kinds = require('internal/zlib/streams');
const { runSync, tooLarge } = require('internal/zlib/codec');

function crc32(data, value = 0) {
  if (typeof data !== 'string' && !ArrayBufferIsView(data))
    throw invalidArgType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
  validateUint32(value, 'value');
  return binding.crc32(typeof data === 'string' ? Buffer.from(data) : data, value);
}

function bytesOf(buffer) {
  if (typeof buffer === 'string') return Buffer.from(buffer);
  if (ArrayBufferIsView(buffer)) return buffer;
  if (isAnyArrayBuffer(buffer)) return Buffer.from(buffer);
  throw invalidArgType('buffer', 'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer', buffer);
}

const resultOf = (engine, buffer) => engine._info ? { buffer, engine } : buffer;

function runWhole(engine, buffer, callback) {
  const parts = [];
  let total = 0;
  const whole = () => {
    engine.close();
    callback(null, resultOf(engine, Buffer.concat(parts, total)));
  };
  validateFunction(callback, 'callback');
  engine.on('data', (part) => {
    arrayPush.call(parts, part);
    total += part.length;
    if (total <= engine._maxOutputLength) return;
    engine.removeListener('end', whole);
    engine.removeAllListeners('data');
    engine.close();
    callback(tooLarge(engine._maxOutputLength));
  });
  engine.on('end', whole);
  engine.on('error', (error) => {
    engine.removeListener('end', whole);
    callback(error);
  });
  engine.end(ArrayBufferIsView(buffer) || isAnyArrayBuffer(buffer) ? viewOf(buffer) : buffer);
}

const viewOf = (buffer) => buffer instanceof Uint8Array ? buffer : isAnyArrayBuffer(buffer) ? Buffer.from(buffer) :
  Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);

const withCallback = (Kind) => function asyncBufferWrapper(buffer, opts, callback) {
  if (typeof opts === 'function') {
    callback = opts;
    opts = {};
  }
  return runWhole(new Kind(opts), buffer, callback);
};

const atOnce = (Kind) => function syncBufferWrapper(buffer, opts) {
  const engine = new Kind(opts);
  return resultOf(engine, runSync(engine, bytesOf(buffer), engine._finishFlushFlag));
};

const made = (Kind) => ({ value(options) { return new Kind(options); } }).value;

module.exports = { crc32 };
for (const name of over(['Deflate', 'Inflate', 'Gzip', 'Gunzip', 'DeflateRaw', 'InflateRaw', 'Unzip', 'BrotliCompress', 'BrotliDecompress']))
  module.exports[name] = kinds[name];
for (const name of over(['Deflate', 'Gzip', 'DeflateRaw', 'Unzip', 'Inflate', 'Gunzip', 'InflateRaw', 'BrotliCompress', 'BrotliDecompress'])) {
  const small = stringToLowerCase.call(name[0]) + stringSlice.call(name, 1);
  module.exports[small] = withCallback(kinds[name]);
  module.exports[`${small}Sync`] = atOnce(kinds[name]);
}
const define = (name, value, enumerable) =>
  Object.defineProperty(module.exports, name, { __proto__: null, value, enumerable, configurable: enumerable });
for (const name of over(['Deflate', 'Inflate', 'DeflateRaw', 'InflateRaw', 'Gzip', 'Gunzip', 'Unzip', 'BrotliCompress', 'BrotliDecompress']))
  define(`create${name}`, made(kinds[name]), true);
Object.defineProperty(module.exports, 'constants', { __proto__: null, value: constants, enumerable: true });
Object.defineProperty(module.exports, 'codes', { __proto__: null, value: codes, enumerable: true });
for (const name of over(ofZlib)) define(name, constants[name], false);
