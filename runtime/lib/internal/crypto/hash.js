'use strict';
// Hash functions and HMAC.

// own methods: this
const { ArrayBufferIsView, arraySort } = intrinsics;
const binding = native('crypto');
const { Buffer } = require('buffer');
const LazyTransform = require('internal/crypto/lazy_transform');
const { coded, invalidArgType, invalidArgValue, validateString, validateUint32 } = require('internal/errors');
const { dataArg, encodingOf, invalidDigest, namesOnce } = require('internal/crypto/library');
const { secretBytes } = require('internal/crypto/key_input');

const kToken = Symbol('kHandle');
const kDone = Symbol('kState');
const kBytes = Symbol('digest of the stream');
const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

// The length that is asked for, -1 for the function's own.
function lengthOf(options) {
  const length = typeof options === 'object' && options !== null ? options.outputLength : undefined;
  if (length === undefined) return -1;
  validateUint32(length, 'options.outputLength');
  return length;
}

const short = Buffer.from(new ArrayBuffer(64)); // for all that becomes text but long ones of shake

function checkedSize(size) {
  if (size < 0) throw new Error('Digest failed');
  return size;
}

function finishBytes(token) {
  const bytes = Buffer.from(new ArrayBuffer(binding.digestSize(token)));
  checkedSize(binding.digestFinish(token, bytes));
  return bytes;
}

// A value that is no text is converted to one, as always.
const nameOf = (encoding) => encodingOf(encoding ? `${encoding}` : undefined);

// The digest as text, or as bytes if the encoding isn't one.
function finish(token, encoding) {
  const name = nameOf(encoding);
  if (name === undefined) return finishBytes(token);
  const size = checkedSize(binding.digestFinish(token, short));
  return size <= short.length ? short.toString(name, 0, size) : finishBytes(token).toString(name);
}

function update(data, encoding) {
  if (this[kDone]) throw finalized();
  if (!binding.digestUpdate(this[kToken], dataArg(data, encoding))) throw coded(Error, 'ERR_CRYPTO_HASH_UPDATE_FAILED', 'Hash update failed');
  return this;
}

const streaming = {
  _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  },
  update,
};

// --- hashes ------------------------------------------------------------------------------------

const COPY = Symbol('copy'); // as first argument: a token is the second

function Hash(algorithm, options, token) {
  if (!new.target) return new Hash(algorithm, options);
  if (algorithm !== COPY) {
    validateString(algorithm, 'algorithm');
    token = binding.digest(algorithm, lengthOf(options));
    if (token === undefined) throw new Error('Digest method not supported');
  }
  this[kToken] = token;
  this[kDone] = false;
  Reflect.apply(LazyTransform, this, [options]);
}
Object.setPrototypeOf(Hash.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hash, LazyTransform);

Object.assign(Hash.prototype, streaming, {
  copy(options) {
    if (this[kDone]) throw finalized();
    return new Hash(COPY, options, binding.digestCopy(this[kToken], lengthOf(options)));
  },
  digest(outputEncoding) {
    if (this[kDone]) throw finalized();
    const bytes = this[kBytes];
    const name = nameOf(outputEncoding);
    this[kDone] = true;
    if (bytes === undefined) return finish(this[kToken], name);
    return name === undefined ? Buffer.from(bytes) : bytes.toString(name);
  },
  // The digest can still be asked for once.
  _flush(callback) {
    if (this[kDone]) {
      callback(finalized());
      return;
    }
    this[kBytes] = finishBytes(this[kToken]);
    this.push(Buffer.from(this[kBytes]));
    callback();
  },
});
Object.defineProperty(Hash, 'length', { __proto__: null, value: 2, configurable: true });

// --- HMAC ----------------------------------------------------------------------------------------

function Hmac(hmac, key, options) {
  if (!(this instanceof Hmac)) return new Hmac(hmac, key, options);
  validateString(hmac, 'hmac');
  this[kToken] = binding.hmac(hmac, secretBytes(key, options?.encoding));
  if (this[kToken] === undefined) throw invalidDigest(hmac);
  this[kDone] = false;
  Reflect.apply(LazyTransform, this, [options]);
}
Object.setPrototypeOf(Hmac.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hmac, LazyTransform);

// Asked again, it gives nothing, as always.
Object.assign(Hmac.prototype, streaming, {
  digest(outputEncoding) {
    const isAgain = this[kDone];
    this[kDone] = true;
    if (isAgain) return nameOf(outputEncoding) === undefined ? Buffer.alloc(0) : '';
    return finish(this[kToken], outputEncoding);
  },
  _flush(callback) {
    this.push(this.digest());
    callback();
  },
});

// --- at once ---------------------------------------------------------------------------------------

function hash(algorithm, input, outputEncoding = 'hex') {
  validateString(algorithm, 'algorithm');
  if (typeof input !== 'string' && !ArrayBufferIsView(input))
    throw invalidArgType('input', 'of type string or an instance of Buffer, TypedArray, or DataView', input);
  validateString(outputEncoding, 'outputEncoding');
  if (outputEncoding !== 'buffer' && encodingOf(outputEncoding) === undefined) throw invalidArgValue('outputEncoding', outputEncoding);
  const token = binding.digest(algorithm, -1);
  if (token === undefined) throw new Error(`Digest method ${algorithm} is not supported`);
  binding.digestUpdate(token, dataArg(input));
  return finish(token, outputEncoding);
}

const getHashes = () => arraySort.call(namesOnce(binding.digests()));

module.exports = { Hash, Hmac, getHashes, hash };
