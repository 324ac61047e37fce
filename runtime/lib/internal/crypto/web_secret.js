'use strict';
// Secret keys of webcrypto that are no cipher's: HMAC, HKDF and PBKDF2.

const { ArrayBufferIsView } = intrinsics;
const binding = native('crypto');
const { invalidArgValue, validateInteger } = require('internal/errors');
const { makeKey, partsOf } = require('internal/crypto/crypto_key');
const { bytesOf, secretOf } = require('internal/crypto/key_object');
const { randomBytes } = require('internal/crypto/random');
const { checkHash, checkKind, checkUsages, checkUse, domError, failed, job, jwkHead, once } = require('internal/crypto/web_common');

const HASHES = { '__proto__': null, 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const BLOCKS = { '__proto__': null, 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };
const JWK_NAMES = { '__proto__': null, 'SHA-1': 'HS1', 'SHA-256': 'HS256', 'SHA-384': 'HS384', 'SHA-512': 'HS512' };

// --- HMAC ---------------------------------------------------------------------------------------------------

function generateKey({ name, hash, length = BLOCKS[hash.name] }, extractable, usages) {
  if (length % 8 !== 0) throw invalidArgValue('algorithm.length', length, 'must be a multiple of 8');
  checkUsages(usages, ['sign', 'verify'], 'an HMAC');
  try {
    validateInteger(length, 'options.length', 8, 2 ** 31 - 1);
  } catch (error) {
    throw failed(error);
  }
  return makeKey(secretOf(randomBytes(length / 8)), { name, length, hash: { name: hash.name } }, once(usages), extractable);
}

function keyLength({ name, hash, length }) {
  if (name !== 'HMAC') return null;
  if (length === undefined) return BLOCKS[hash.name];
  if (length === 0) throw domError('Invalid key length', 'OperationError');
  return length;
}

function importHmac(format, data, { name, hash, length }, extractable, usages) {
  checkUsages(usages, ['sign', 'verify'], 'an HMAC');
  let bytes = data;
  if (format === 'jwk') {
    checkKind(data, 'oct');
    checkUse(data, 'sig', usages, extractable);
    checkHash(data.alg, hash.name);
    bytes = require('internal/crypto/web_aes').secretOfJwk(data);
  } else if (format !== 'raw') {
    throw domError(`Unable to import HMAC key with format ${format}`, 'NotSupportedError');
  }
  const bits = bytes.length * 8;
  if (length === 0 || (bits === 0 && format === 'raw')) throw domError('Zero-length key is not supported', 'DataError');
  if (length !== undefined && length !== bits) throw domError('Invalid key length', 'DataError');
  return makeKey(secretOf(bytes), { name, hash: { name: hash.name }, length: bits }, once(usages), extractable);
}

function exportKey(format, key) {
  const { keyObject, algorithm } = partsOf(key);
  if (algorithm.name !== 'HMAC') return undefined;
  if (format === 'raw') return keyObject.export();
  if (format === 'jwk') return { ...jwkHead(key), ...keyObject.export({ format: 'jwk' }), alg: JWK_NAMES[algorithm.hash.name] };
  return undefined;
}

function mac(key, data) {
  const { keyObject, algorithm } = partsOf(key);
  return job('hmac', HASHES[algorithm.hash.name], bytesOf(keyObject), data);
}

const sign = (algorithm, key, data) => mac(key, data);

async function verify(algorithm, key, data, signature) {
  const expected = await mac(key, data);
  return expected.length === signature.length && binding.isEqual(expected, signature);
}

// --- HKDF and PBKDF2 --------------------------------------------------------------------------------------------

function importKey(format, data, algorithm, extractable, usages) {
  const { name } = algorithm;
  if (name === 'HMAC') return importHmac(format, data, algorithm, extractable, usages);
  if (format !== 'raw') throw domError(`Unable to import ${name} key with format ${format}`, 'NotSupportedError');
  checkUsages(usages, ['deriveKey', 'deriveBits'], `a ${name}`);
  if (extractable) throw domError(`${name} keys are not extractable`, 'SyntaxError');
  return makeKey(secretOf(data), { name }, usages, false);
}

function deriveBits({ name, hash, salt, info, iterations }, key, length) {
  if (length === null) throw domError('length cannot be null', 'OperationError');
  if (length % 8 !== 0) throw domError('length must be a multiple of 8', 'OperationError');
  if (length === 0) return new ArrayBuffer(0);
  const secret = bytesOf(partsOf(key).keyObject);
  const derive = require('internal/crypto/derive');
  return new Promise((resolve, reject) => {
    const done = (error, bytes) => {
      if (error) reject(failed(error));
      else resolve(ArrayBufferIsView(bytes) ? bytes.buffer : bytes);
    };
    const digest = HASHES[hash.name];
    try {
      if (name === 'PBKDF2') derive.pbkdf2(secret, salt, iterations, length / 8, digest, done);
      else derive.hkdf(digest, secret, salt, info, length / 8, done);
    } catch (error) {
      reject(failed(error));
    }
  });
}

module.exports = { HASHES, deriveBits, exportKey, generateKey, importKey, keyLength, sign, verify };
