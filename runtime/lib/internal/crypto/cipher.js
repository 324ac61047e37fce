'use strict';
// Ciphers.

// own methods: this, this._decoder
const { arraySort } = intrinsics;
const binding = native('crypto');
const { Buffer } = require('buffer');
const { StringDecoder } = require('string_decoder');
const LazyTransform = require('internal/crypto/lazy_transform');
const { coded, invalidArgType, unknownEncoding, validateInt32, validateObject, validateString } = require('internal/errors');
const { bytesArg, countOption, dataArg, encodingOf, invalidState, namesOnce, thrownByC } = require('internal/crypto/library');
const { secretBytes } = require('internal/crypto/key_input');

const kToken = Symbol('kHandle');

// enum crypto_outcome, whose negatives native functions return.
const errors = {
  __proto__: null,
  '-1': () => thrownByC(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher'),
  '-2': () => thrownByC(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length'),
  '-3': () => thrownByC(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector'),
  '-4': (name) => thrownByC(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `authTagLength required for ${name}`),
  '-5': (name, length) => thrownByC(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${length}`),
  '-6': () => thrownByC(RangeError, 'ERR_CRYPTO_INVALID_MESSAGELEN', 'Invalid message length'),
  '-7': () => thrownByC(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state'),
  '-8': () => new Error('Trying to add data in unsupported state'),
  '-9': () => new Error('Unsupported state or unable to authenticate data'),
};
const BAD_STATE = -7;
const FAILED = -8;
const MOST = 2 ** 31 - 1 - 32; // OpenSSL counts in an int, with a block more

// A token or a count; anything else is thrown.
function checked(result, name, length) {
  if (typeof result === 'number' && result < 0) throw errors[result](name, length);
  if (result instanceof Error) throw result;
  return result;
}

function open(cipher, name, key, iv, options, encrypts) {
  validateString(name, 'cipher');
  const keyBytes = secretBytes(key, options?.encoding);
  const ivBytes = iv === null ? null : bytesArg(iv, 'iv');
  const tagLength = countOption(options, 'authTagLength');
  cipher[kToken] = checked(binding.cipher(name, encrypts, keyBytes, ivBytes, tagLength), name, tagLength);
  cipher._decoder = null;
  Reflect.apply(LazyTransform, cipher, [options]);
}

// Text comes out in one encoding for all of the message.
function decoderOf(cipher, encoding) {
  const name = encodingOf(encoding);
  if (name === undefined) throw unknownEncoding(encoding);
  cipher._decoder ||= new StringDecoder(encoding);
  if (cipher._decoder.encoding !== name) throw coded(Error, 'ERR_INTERNAL_ASSERTION', 'Cannot change encoding');
  return cipher._decoder;
}

const isText = (encoding) => Boolean(encoding) && encoding !== 'buffer';
const part = (out, count) => Buffer.from(out.buffer, 0, count);
const roomFor = (cipher, length) => Buffer.from(new ArrayBuffer(binding.cipherRoom(cipher[kToken], length)));

const methods = {
  _transform(chunk, encoding, callback) {
    this.push(this.update(chunk, encoding));
    callback();
  },

  _flush(callback) {
    try {
      this.push(this.final());
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  },

  update(data, inputEncoding, outputEncoding) {
    const bytes = dataArg(data, inputEncoding);
    if (bytes.byteLength > MOST) throw errors[FAILED]();
    const out = roomFor(this, bytes.byteLength);
    const result = part(out, checked(binding.cipherUpdate(this[kToken], bytes, out)));
    return isText(outputEncoding) ? decoderOf(this, outputEncoding).write(result) : result;
  },

  final(outputEncoding) {
    const out = roomFor(this, 0);
    const result = part(out, checked(binding.cipherFinish(this[kToken], out)));
    return isText(outputEncoding) ? decoderOf(this, outputEncoding).end(result) : result;
  },

  setAutoPadding(ap) {
    if (!binding.cipherSetPadding(this[kToken], Boolean(ap))) throw invalidState('setAutoPadding');
    return this;
  },

  setAAD(aadbuf, options) {
    const length = countOption(options, 'plaintextLength');
    const bytes = bytesArg(aadbuf, 'aadbuf', options?.encoding);
    if (length === -1 && binding.cipherIsCCM(this[kToken]))
      throw coded(TypeError, 'ERR_MISSING_ARGS', 'options.plaintextLength required for CCM mode with AAD');
    const outcome = binding.cipherSetAAD(this[kToken], bytes, length);
    if (outcome === BAD_STATE) throw invalidState('setAAD');
    checked(outcome);
    return this;
  },
};

function Cipheriv(cipher, key, iv, options) {
  if (!(this instanceof Cipheriv)) return new Cipheriv(cipher, key, iv, options);
  open(this, cipher, key, iv, options, true);
}
Object.setPrototypeOf(Cipheriv.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Cipheriv, LazyTransform);
Object.assign(Cipheriv.prototype, methods, {
  getAuthTag() {
    const tag = binding.cipherTag(this[kToken]);
    if (tag === undefined) throw invalidState('getAuthTag');
    return Buffer.from(tag);
  },
});

function Decipheriv(cipher, key, iv, options) {
  if (!(this instanceof Decipheriv)) return new Decipheriv(cipher, key, iv, options);
  open(this, cipher, key, iv, options, false);
}
Object.setPrototypeOf(Decipheriv.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Decipheriv, LazyTransform);
Object.assign(Decipheriv.prototype, methods, {
  setAuthTag(tagbuf, encoding) {
    const bytes = bytesArg(tagbuf, 'buffer', encoding);
    const outcome = binding.cipherSetTag(this[kToken], bytes);
    if (outcome === BAD_STATE) throw invalidState('setAuthTag');
    checked(outcome, undefined, bytes.byteLength);
    return this;
  },
});

function getCipherInfo(nameOrNid, options) {
  if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number') throw invalidArgType('nameOrNid', 'one of type string or number', nameOrNid);
  if (typeof nameOrNid === 'number') validateInt32(nameOrNid, 'nameOrNid');
  if (options !== undefined) validateObject(options, 'options');
  const { keyLength, ivLength } = options ?? {};
  if (keyLength !== undefined) validateInt32(keyLength, 'options.keyLength');
  if (ivLength !== undefined) validateInt32(ivLength, 'options.ivLength');
  if (keyLength < 0 || ivLength < 0) return undefined;
  return binding.cipherInfo(nameOrNid, keyLength ?? -1, ivLength ?? -1);
}

const getCiphers = () => arraySort.call(namesOnce(binding.ciphers()));

module.exports = { Cipheriv, Decipheriv, getCipherInfo, getCiphers };
