'use strict';
// Hash functions and HMAC.

// own methods: this
const { ArrayBufferIsView, arraySort } = intrinsics;
const binding = native('crypto');
const { Buffer } = require('buffer');
const LazyTransform = require('internal/crypto/lazy_transform');
const { coded, invalidArgType, invalidArgValue, validateString, validateUint32 } = require('internal/errors');
const { dataArg, encodingOf, invalidDigest, namesOnce } = require('internal/crypto/library');
const { secretBytes } = require('internal/crypto/keys');

const kToken = Symbol('kHandle');
const kDone = Symbol('kState');
const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');

// The length that is asked for, -1 for the function's own.
function lengthOf(options) {
  const length = typeof options === 'object' && options !== null ? options.outputLength : undefined;
  if (length === undefined) return -1;
  validateUint32(length, 'options.outputLength');
  return length;
}

function finish(token) {
  const bytes = Buffer.from(new ArrayBuffer(binding.digestSize(token)));
  if (!binding.digestFinish(token, bytes)) throw new Error('Digest failed');
  return bytes;
}

function update(data, encoding) {
  if (this[kDone]) throw finalized();
  if (!binding.digestUpdate(this[kToken], dataArg(data, encoding))) throw coded(Error, 'ERR_CRYPTO_HASH_UPDATE_FAILED', 'Hash update failed');
  return this;
}

function inEncoding(bytes, encoding) {
  const name = encodingOf(encoding);
  return name === undefined ? bytes : bytes.toString(name);
}

const streaming = {
  _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  },
  _flush(callback) {
    this.push(this.digest());
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
    const bytes = finish(this[kToken]);
    this[kDone] = true;
    return inEncoding(bytes, outputEncoding);
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
    const bytes = this[kDone] ? Buffer.alloc(0) : finish(this[kToken]);
    this[kDone] = true;
    return inEncoding(bytes, outputEncoding);
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
  return inEncoding(finish(token), outputEncoding);
}

const getHashes = () => arraySort.call(namesOnce(binding.digests()));

module.exports = { Hash, Hmac, getHashes, hash };
