'use strict';
// crypto: random values, hashes, HMAC, derived keys and ciphers, on OpenSSL (internal/crypto/library).
// What is lacking throws an error that names it.

const { over, stringSplit } = intrinsics;
const binding = native('crypto');
const { call, isBytes } = require('internal/crypto/library');
const { coded, notImplemented, validateNumber, validateString } = require('internal/errors');
const { Cipheriv, Decipheriv, getCipherInfo, getCiphers } = require('internal/crypto/cipher');
const { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } = require('internal/crypto/derive');
const { Hash, Hmac, getHashes, hash } = require('internal/crypto/hash');
const { createPrivateKey, createPublicKey, createSecretKey } = require('internal/crypto/key_input');
const { KeyObject } = require('internal/crypto/key_object');
const { generateKey, generateKeyPair, generateKeyPairSync, generateKeySync } = require('internal/crypto/keys');
const { randomBytes, randomFill, randomFillSync, randomInt, randomUUID } = require('internal/crypto/random');
const { getRandomValues, webcrypto } = require('internal/crypto/web');

function bufferArg(value, name) {
  if (!isBytes(value))
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
}

const timingSafeEqual = ({ timingSafeEqual(...args) {
  const { 0: buf1, 1: buf2 } = args;
  bufferArg(buf1, 'buf1');
  bufferArg(buf2, 'buf2');
  if (buf1.byteLength !== buf2.byteLength)
    throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  return binding.isEqual(buf1, buf2);
} }).timingSafeEqual;

// Numbers of OpenSSL's interfaces, for options of programs; most are about what is lacking here.
const CONSTANTS =
  'OPENSSL_VERSION_NUMBER=0 SSL_OP_ALL=2147485776 SSL_OP_ALLOW_NO_DHE_KEX=1024 SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION=262144 ' +
    'SSL_OP_CIPHER_SERVER_PREFERENCE=4194304 SSL_OP_CISCO_ANYCONNECT=32768 SSL_OP_COOKIE_EXCHANGE=8192 ' +
    'SSL_OP_CRYPTOPRO_TLSEXT_BUG=2147483648 SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS=2048 ' +
    'SSL_OP_LEGACY_SERVER_CONNECT=4 SSL_OP_NO_COMPRESSION=131072 SSL_OP_NO_ENCRYPT_THEN_MAC=524288 ' +
    'SSL_OP_NO_QUERY_MTU=4096 SSL_OP_NO_RENEGOTIATION=1073741824 ' +
    'SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION=65536 SSL_OP_NO_SSLv2=0 SSL_OP_NO_SSLv3=33554432 ' +
    'SSL_OP_NO_TICKET=16384 SSL_OP_NO_TLSv1=67108864 SSL_OP_NO_TLSv1_1=268435456 SSL_OP_NO_TLSv1_2=134217728 ' +
    'SSL_OP_NO_TLSv1_3=536870912 SSL_OP_PRIORITIZE_CHACHA=2097152 SSL_OP_TLS_ROLLBACK_BUG=8388608 ' +
    'ENGINE_METHOD_RSA=1 ENGINE_METHOD_DSA=2 ENGINE_METHOD_DH=4 ENGINE_METHOD_RAND=8 ENGINE_METHOD_EC=2048 ' +
    'ENGINE_METHOD_CIPHERS=64 ENGINE_METHOD_DIGESTS=128 ENGINE_METHOD_PKEY_METHS=512 ' +
    'ENGINE_METHOD_PKEY_ASN1_METHS=1024 ENGINE_METHOD_ALL=65535 ENGINE_METHOD_NONE=0 DH_CHECK_P_NOT_SAFE_PRIME=2 ' +
    'DH_CHECK_P_NOT_PRIME=1 DH_UNABLE_TO_CHECK_GENERATOR=4 DH_NOT_SUITABLE_GENERATOR=8 RSA_PKCS1_PADDING=1 ' +
    'RSA_NO_PADDING=3 RSA_PKCS1_OAEP_PADDING=4 RSA_X931_PADDING=5 RSA_PKCS1_PSS_PADDING=6 ' +
    'RSA_PSS_SALTLEN_DIGEST=-1 RSA_PSS_SALTLEN_MAX_SIGN=-2 RSA_PSS_SALTLEN_AUTO=-2 defaultCoreCipherList TLS1_VERSION=769 ' +
    'TLS1_1_VERSION=770 TLS1_2_VERSION=771 TLS1_3_VERSION=772 POINT_CONVERSION_COMPRESSED=2 ' +
    'POINT_CONVERSION_UNCOMPRESSED=4 POINT_CONVERSION_HYBRID=6 defaultCipherList';

const CIPHERS = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256:' +
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256:' +
  'ECDHE-RSA-AES128-SHA256:DHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA384:DHE-RSA-AES256-SHA384:ECDHE-RSA-AES256-SHA256:' +
  'DHE-RSA-AES256-SHA256:HIGH:!aNULL:!eNULL:!EXPORT:!DES:!RC4:!MD5:!PSK:!SRP:!CAMELLIA';

function constantsOf() {
  const list = { __proto__: null };
  for (const word of over(stringSplit.call(CONSTANTS, ' '))) {
    const { 0: name, 1: number } = stringSplit.call(word, '=');
    const value = number === undefined ? CIPHERS : name === 'OPENSSL_VERSION_NUMBER' ? binding.versionNumber() : Number(number);
    Object.defineProperty(list, name, { __proto__: null, value, enumerable: true, writable: name === 'defaultCipherList' });
  }
  return list;
}

// Most programs use a few parts: the others are loaded when one of their functions is first called.
const partOf = (file) => require(`internal/crypto/${file}`);
const later = (file, name, length) => Object.defineProperty({
  [name](...args) {
    return Reflect.apply(partOf(file)[name], this, args);
  },
}[name], 'length', { __proto__: null, value: length, configurable: true });

function secureHeapUsed() {
  const { 0: isThere, 1: used } = call('secureHeap');
  return { total: 0, used: isThere ? used : 0, utilization: 0, min: 0 };
}

const getCurves = () => call('curves');

function setEngine(id, flags) {
  validateString(id, 'id');
  if (flags) validateNumber(flags, 'flags');
  throw coded(Error, 'ERR_CRYPTO_ENGINE_UNKNOWN', `Engine "${id}" was not found`);
}

// There is no module of OpenSSL's that FIPS would allow.
function setFips(val) {
  if (val) throw notImplemented('FIPS mode');
}

// A function that makes an object of a class; some programs call it with `new`.
function maker(name, length, classOf) {
  const make = {
    [name]: function (first, second, third, fourth) {
      return new (classOf())(first, second, third, fourth);
    },
  }[name];
  return Object.defineProperty(make, 'length', { __proto__: null, value: length, configurable: true });
}
const makerOf = (name, length, file, type) => maker(name, length, () => partOf(file)[type]);

const CLASSES = {
  __proto__: null, certificate: ['X509Certificate'], diffie_hellman: ['DiffieHellman', 'DiffieHellmanGroup', 'ECDH'], sign: ['Sign', 'Verify'],
  spkac: ['Certificate'],
};

module.exports = {
  // Random values and primes.
  randomBytes, randomFill, randomFillSync, randomInt, randomUUID,
  generatePrime: later('primes', 'generatePrime', 3),
  generatePrimeSync: later('primes', 'generatePrimeSync', 1),
  checkPrime: later('primes', 'checkPrime', 1),
  checkPrimeSync: later('primes', 'checkPrimeSync', 1),

  // Digests, and keys from passwords.
  Hash, Hmac, hash, getHashes, timingSafeEqual,
  createHash: maker('createHash', 2, () => Hash),
  createHmac: maker('createHmac', 3, () => Hmac),
  pbkdf2, pbkdf2Sync, scrypt, scryptSync, hkdf, hkdfSync,

  // Keys.
  KeyObject, createSecretKey, createPublicKey, createPrivateKey,
  generateKey, generateKeySync, generateKeyPair, generateKeyPairSync,

  // What keys are for.
  Cipheriv, Decipheriv, getCiphers, getCipherInfo,
  createCipheriv: maker('createCipheriv', 4, () => Cipheriv),
  createDecipheriv: maker('createDecipheriv', 4, () => Decipheriv),
  createSign: makerOf('createSign', 2, 'sign', 'Sign'),
  createVerify: makerOf('createVerify', 2, 'sign', 'Verify'),
  sign: later('sign', 'sign', 4),
  verify: later('sign', 'verify', 5),
  publicEncrypt: later('rsa', 'publicEncrypt', 2),
  privateDecrypt: later('rsa', 'privateDecrypt', 2),
  privateEncrypt: later('rsa', 'privateEncrypt', 2),
  publicDecrypt: later('rsa', 'publicDecrypt', 2),

  // Secrets that two agree on.
  getCurves,
  createECDH: makerOf('createECDH', 1, 'diffie_hellman', 'ECDH'),
  createDiffieHellman: makerOf('createDiffieHellman', 4, 'diffie_hellman', 'DiffieHellman'),
  createDiffieHellmanGroup: makerOf('createDiffieHellmanGroup', 1, 'diffie_hellman', 'DiffieHellmanGroup'),
  getDiffieHellman: makerOf('getDiffieHellman', 1, 'diffie_hellman', 'DiffieHellmanGroup'),
  diffieHellman: later('diffie_hellman', 'diffieHellman', 1),

  // The library itself.
  secureHeapUsed, setEngine, setFips, getFips: () => 0,
};

// Not there: Node itself advises against them.
for (const name of over(['createCipher', 'createDecipher', 'Cipher', 'Decipher']))
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    value: ({
      [name]: function () {
        throw notImplemented(`crypto.${name}`);
      },
    })[name],
    writable: true,
    configurable: true,
    enumerable: name === 'Cipher' || name === 'Decipher',
  });

const define = (name, descriptor) => Object.defineProperty(module.exports, name, { __proto__: null, ...descriptor });

// Classes whose files are loaded when they are first looked at. An assignment takes their place.
function defineLater(name, file) {
  define(name, {
    get: () => partOf(file)[name],
    set: (value) => define(name, { value, writable: true, configurable: true, enumerable: true }),
    configurable: true,
    enumerable: true,
  });
}
for (const file of over(Object.keys(CLASSES))) for (const name of over(CLASSES[file])) defineLater(name, file);

define('constants', { value: constantsOf(), enumerable: true });
define('webcrypto', { get: () => webcrypto, enumerable: true });
define('subtle', { get: () => webcrypto.subtle, enumerable: true });
define('getRandomValues', { get: () => getRandomValues, enumerable: true });
define('fips', { get: () => 0, enumerable: false });
for (const name of over(['pseudoRandomBytes', 'prng', 'rng'])) define(name, { value: randomBytes, writable: true, configurable: true, enumerable: false });
