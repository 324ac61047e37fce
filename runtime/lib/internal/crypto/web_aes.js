'use strict';
// AES of webcrypto: keys and ciphers.

const { Buffer } = require('buffer');
const { makeKey, partsOf } = require('internal/crypto/crypto_key');
const { bytesOf, secretOf } = require('internal/crypto/key_object');
const { randomBytes } = require('internal/crypto/random');
const { thrownByC } = require('internal/crypto/library');
const { bufferJob, checkKind, checkName, checkUsages, checkUse, domError, failed, invalidData, jwkHead, once } = require('internal/crypto/web_common');

const KINDS = {
  '__proto__': null,
  'AES-CBC': { mode: 'cbc', suffix: 'CBC', usages: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] },
  'AES-CTR': { mode: 'ctr', suffix: 'CTR', usages: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] },
  'AES-GCM': { mode: 'gcm', suffix: 'GCM', usages: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] },
  'AES-KW': { mode: 'wrap', suffix: 'KW', usages: ['wrapKey', 'unwrapKey'] },
};

function generateKey({ name, length }, extractable, usages) {
  checkUsages(usages, KINDS[name].usages, 'an AES');
  return makeKey(secretOf(randomBytes(length / 8)), { name, length }, once(usages), extractable);
}

const isLength = (bits) => bits === 128 || bits === 192 || bits === 256;

function keyLength({ length }) {
  if (!isLength(length)) throw domError('Invalid key length', 'OperationError');
  return length;
}

// The bytes of a secret key in a JWK.
function secretOfJwk(jwk) {
  if (typeof jwk.k !== 'string') throw invalidData(thrownByC(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK secret key format'));
  return Buffer.from(jwk.k, 'base64url');
}

function importKey(format, data, { name }, extractable, usages) {
  const { suffix, usages: allowed } = KINDS[name];
  checkUsages(usages, allowed, 'an AES');
  let bytes = data;
  if (format === 'jwk') {
    checkKind(data, 'oct');
    checkUse(data, 'enc', usages, extractable);
    bytes = secretOfJwk(data);
  } else if (format !== 'raw') {
    throw domError(`Unable to import AES key with format ${format}`, 'NotSupportedError');
  }
  const length = bytes.length * 8;
  if (!isLength(length)) throw domError('Invalid key length', 'DataError');
  if (format === 'jwk') checkName(data.alg, [`A${length}${suffix}`]);
  return makeKey(secretOf(bytes), { name, length }, once(usages), extractable);
}

function exportKey(format, key) {
  const { keyObject, algorithm } = partsOf(key);
  if (format === 'raw') return keyObject.export();
  if (format === 'jwk') return { ...jwkHead(key), ...keyObject.export({ format: 'jwk' }), alg: `A${algorithm.length}${KINDS[algorithm.name].suffix}` };
  return undefined;
}

function run(encrypts, algorithm, key, data) {
  const secret = bytesOf(partsOf(key).keyObject);
  const { mode } = KINDS[algorithm.name];
  const cipher = mode === 'wrap' ? `id-aes${secret.length * 8}-wrap` : `aes-${secret.length * 8}-${mode}`;
  if (mode === 'wrap') return bufferJob('aes', encrypts, cipher, secret, WRAP_IV, data, undefined, 0);
  if (mode === 'cbc') return bufferJob('aes', encrypts, cipher, secret, algorithm.iv, data, undefined, 0);
  if (mode === 'ctr') return bufferJob('aesCounter', encrypts, cipher, secret, algorithm.counter, data, algorithm.length);
  const { iv, additionalData, tagLength = 128 } = algorithm;
  if (!encrypts && data.length < tagLength / 8) throw domError('The provided data is too small.', 'OperationError');
  if (iv.length === 0) throw failed(thrownByC(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector'));
  return bufferJob('aes', encrypts, cipher, secret, iv, data, additionalData, tagLength / 8);
}
const WRAP_IV = Buffer.alloc(8, 0xa6); // RFC 3394

const encrypt = (algorithm, key, data) => run(true, algorithm, key, data);
const decrypt = (algorithm, key, data) => run(false, algorithm, key, data);

module.exports = { decrypt, encrypt, exportKey, generateKey, importKey, keyLength, secretOfJwk, unwrapKey: decrypt, wrapKey: encrypt };
