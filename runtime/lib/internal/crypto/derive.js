'use strict';
// Keys of passwords and of other keys: pbkdf2, scrypt and hkdf, on the pool or at once.

const { over } = intrinsics;
const { Buffer, kMaxLength } = require('buffer');
const binding = native('crypto');
const {
  coded, invalidArgType, outOfRange, validateFunction, validateInt32, validateInteger, validateString, validateUint32,
} = require('internal/errors');
const { bytesArg, invalidDigest, isBytes, thrownByC } = require('internal/crypto/library');
const { secretBytes } = require('internal/crypto/key_input');

const { 1: PBKDF2, 2: SCRYPT, 3: HKDF } = [0, 1, 2, 3]; // enum crypto_job_kind

// what: [digest, secret, salt, info, iterations, block size, parallel, memory]
function derive(kind, what, out, callback) {
  const error = Reflect.apply(binding.job, binding, [kind, ...over(what), out, 0, out.byteLength, callback]);
  if (error !== undefined) throw error;
  return out;
}

const room = (length) => Buffer.from(new ArrayBuffer(length));
const invalidLength = () => thrownByC(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');

// --- pbkdf2 --------------------------------------------------------------------------------------

function forPbkdf2(password, salt, iterations, keylen, digest) {
  validateString(digest, 'digest');
  password = bytesArg(password, 'password');
  salt = bytesArg(salt, 'salt');
  validateInt32(iterations, 'iterations', 1);
  validateInt32(keylen, 'keylen', 0);
  if (!binding.isDigest(digest)) throw invalidDigest(digest);
  return [digest, password, salt, undefined, iterations, 0, 0, 0];
}

function pbkdf2(password, salt, iterations, keylen, digest, callback) {
  if (typeof digest === 'function') {
    callback = digest;
    digest = undefined;
  }
  const what = forPbkdf2(password, salt, iterations, keylen, digest);
  validateFunction(callback, 'callback');
  derive(PBKDF2, what, room(keylen), callback);
}

function pbkdf2Sync(password, salt, iterations, keylen, digest) {
  return derive(PBKDF2, forPbkdf2(password, salt, iterations, keylen, digest), room(keylen));
}

// --- scrypt --------------------------------------------------------------------------------------

const DEFAULTS = { N: 16384, r: 8, p: 1, maxmem: 32 << 20 };
const OTHER_NAMES = { __proto__: null, N: 'cost', r: 'blockSize', p: 'parallelization' };

function parameter(options, name) {
  const other = OTHER_NAMES[name];
  const value = options[name];
  const second = options[other];
  if (value !== undefined) {
    validateUint32(value, name);
    if (second !== undefined) throw coded(Error, 'ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', 'Invalid scrypt parameter');
  } else if (second !== undefined) {
    validateUint32(second, other);
  }
  return value || second || DEFAULTS[name];
}

function memoryOf({ maxmem }) {
  if (maxmem === undefined) return DEFAULTS.maxmem;
  validateInteger(maxmem, 'maxmem', 0);
  return maxmem || DEFAULTS.maxmem;
}

function forScrypt(password, salt, keylen, options) {
  password = bytesArg(password, 'password');
  salt = bytesArg(salt, 'salt');
  validateInt32(keylen, 'keylen', 0);
  const asked = options || DEFAULTS;
  const what = [undefined, password, salt, undefined, parameter(asked, 'N'), parameter(asked, 'r'), parameter(asked, 'p'), memoryOf(asked)];
  // Without room for a key only the parameters are looked at.
  const error = Reflect.apply(binding.job, binding, [SCRYPT, ...over(what)]);
  if (error !== undefined)
    throw thrownByC(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${error.library === undefined ? '' : `: ${error.message}`}`);
  return what;
}

function scrypt(password, salt, keylen, options, callback = undefined) {
  if (callback === undefined) {
    callback = options;
    options = undefined;
  }
  const what = forScrypt(password, salt, keylen, options);
  validateFunction(callback, 'callback');
  derive(SCRYPT, what, room(keylen), callback);
}
Object.defineProperty(scrypt, 'length', { __proto__: null, value: 4, configurable: true });

function scryptSync(password, salt, keylen, options = undefined) {
  return derive(SCRYPT, forScrypt(password, salt, keylen, options), room(keylen));
}
Object.defineProperty(scryptSync, 'length', { __proto__: null, value: 3, configurable: true });

// --- hkdf ------------------------------------------------------------------------------------------

const BYTES = 'of type string or an instance of ArrayBuffer, TypedArray, DataView, or Buffer';
const KEY = 'of type string or an instance of SecretKeyObject, ArrayBuffer, TypedArray, DataView, or Buffer';

function sourceArg(value, name) {
  if (typeof value === 'string') return Buffer.from(value);
  if (isBytes(value)) return value;
  throw invalidArgType(name, BYTES, value);
}

function forHkdf(digest, key, salt, info, length) {
  validateString(digest, 'digest');
  key = secretBytes(key, undefined, KEY, 'ikm');
  salt = sourceArg(salt, 'salt');
  info = sourceArg(info, 'info');
  validateInteger(length, 'length', 0, kMaxLength);
  if (info.byteLength > 1024) throw outOfRange('info', 'must not contain more than 1024 bytes', info.byteLength);
  const token = binding.digest(digest, -1);
  if (token === undefined) throw invalidDigest(digest);
  if (length > 255 * binding.digestSize(token)) throw invalidLength();
  return [digest, key, salt, info, 0, 0, 0, 0];
}

function hkdf(hash, key, salt, info, length, callback) {
  const what = forHkdf(hash, key, salt, info, length);
  validateFunction(callback, 'callback');
  derive(HKDF, what, new ArrayBuffer(length), callback);
}

function hkdfSync(hash, key, salt, info, length) {
  return derive(HKDF, forHkdf(hash, key, salt, info, length), new ArrayBuffer(length));
}

module.exports = { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync };
