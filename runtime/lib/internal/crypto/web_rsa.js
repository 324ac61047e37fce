'use strict';
// RSA of webcrypto: keys, signatures, encryption.

const { over } = intrinsics;
const { outOfRange } = require('internal/errors');
const { makeKey, partsOf } = require('internal/crypto/crypto_key');
const { privateOf, publicOf, tokenOf } = require('internal/crypto/key_object');
const { thrownByC } = require('internal/crypto/library');
const { HASHES } = require('internal/crypto/web_secret');
const {
  bufferJob, checkHash, checkKind, checkUsages, checkUse, domError, failed, invalidData, job, jwkHead, once, pairOf, readDer, writeDer,
} = require('internal/crypto/web_common');

const OAEP = 4;
const PKCS1 = 1;
const PSS = 6;
const KINDS = {
  '__proto__': null,
  'RSA-OAEP': { padding: OAEP, forPublic: ['encrypt', 'wrapKey'], forPrivate: ['decrypt', 'unwrapKey'], use: 'enc' },
  'RSA-PSS': { padding: PSS, forPublic: ['verify'], forPrivate: ['sign'], use: 'sig' },
  'RSASSA-PKCS1-v1_5': { padding: PKCS1, forPublic: ['verify'], forPrivate: ['sign'], use: 'sig' },
};
const JWK_NAMES = {
  '__proto__': null,
  'RSA-OAEP': { '__proto__': null, 'SHA-1': 'RSA-OAEP', 'SHA-256': 'RSA-OAEP-256', 'SHA-384': 'RSA-OAEP-384', 'SHA-512': 'RSA-OAEP-512' },
  'RSA-PSS': { '__proto__': null, 'SHA-1': 'PS1', 'SHA-256': 'PS256', 'SHA-384': 'PS384', 'SHA-512': 'PS512' },
  'RSASSA-PKCS1-v1_5': { '__proto__': null, 'SHA-1': 'RS1', 'SHA-256': 'RS256', 'SHA-384': 'RS384', 'SHA-512': 'RS512' },
};

// A number of 32 bits, or undefined.
function exponentOf(bytes) {
  let number = 0;
  for (let i = 0; i < bytes.length; i++) number = number * 256 + bytes[i];
  return number < 2 ** 32 ? number : undefined;
}

async function generateKey({ name, hash, modulusLength, publicExponent }, extractable, usages) {
  const kind = KINDS[name];
  const exponent = exponentOf(publicExponent);
  if (exponent === undefined) throw domError('The publicExponent must be equivalent to an unsigned 32-bit value', 'OperationError');
  checkUsages(usages, [...over(kind.forPublic), ...over(kind.forPrivate)], 'a RSA');
  const token = await job('makeRsa', modulusLength, exponent);
  return pairOf(token, { name, modulusLength, publicExponent, hash: { name: hash.name } }, extractable, usages, kind);
}

// --- import and export ----------------------------------------------------------------------------------------

function fromJwk(jwk, name, hash, usages, extractable) {
  const kind = KINDS[name];
  checkKind(jwk, 'RSA');
  const isPrivate = jwk.d !== undefined;
  checkUsages(usages, isPrivate ? kind.forPrivate : kind.forPublic, `an ${name}`);
  checkUse(jwk, kind.use, usages, extractable);
  checkHash(jwk.alg, hash.name);
  try {
    const token = require('internal/crypto/jwk').tokenOfJwk(jwk, isPrivate);
    return isPrivate ? privateOf(token) : publicOf(token);
  } catch {
    throw invalidData(thrownByC(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK RSA key'));
  }
}

function importKey(format, data, { name, hash }, extractable, usages) {
  const kind = KINDS[name];
  let keyObject;
  if (format === 'jwk') {
    keyObject = fromJwk(data, name, hash, usages, extractable);
  } else if (format === 'spki' || format === 'pkcs8') {
    checkUsages(usages, format === 'spki' ? kind.forPublic : kind.forPrivate, `an ${name}`);
    keyObject = readDer(format, data, 'rsa');
  } else {
    throw domError(`Unable to import RSA key with format ${format}`, 'NotSupportedError');
  }
  const { modulusLength, publicExponent } = keyObject.asymmetricKeyDetails;
  const algorithm = { name, modulusLength, publicExponent: bytesOfExponent(publicExponent), hash: { name: hash.name } };
  return makeKey(keyObject, algorithm, once(usages), extractable);
}

function bytesOfExponent(number) {
  const bytes = [];
  for (let left = Number(number); left > 0; left = Math.floor(left / 256)) bytes[bytes.length] = left % 256;
  const exponent = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) exponent[i] = bytes[bytes.length - 1 - i];
  return exponent;
}

function exportKey(format, key) {
  const { keyObject, algorithm } = partsOf(key);
  if (format === (keyObject.type === 'public' ? 'spki' : 'pkcs8')) return writeDer(format, keyObject);
  if (format === 'jwk') return { ...jwkHead(key), ...require('internal/crypto/jwk').jwkOf(keyObject), alg: JWK_NAMES[algorithm.name][algorithm.hash.name] };
  return undefined;
}

// --- signatures and encryption ------------------------------------------------------------------------------------

const SIZES = { '__proto__': null, 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 };

function signatureArgs({ saltLength }, key, data) {
  const { keyObject, algorithm: { name, hash, modulusLength } } = partsOf(key);
  if (saltLength !== undefined) {
    const most = Math.ceil((modulusLength - 1) / 8) - SIZES[hash.name] - 2;
    if (saltLength > most) throw failed(outOfRange('algorithm.saltLength', `>= 0 && <= ${most}`, saltLength));
  }
  return [tokenOf(keyObject), HASHES[hash.name], data, KINDS[name].padding, saltLength, false];
}

function sign(algorithm, key, data) {
  if (partsOf(key).keyObject.type !== 'private') throw domError('Key must be a private key', 'InvalidAccessError');
  return Reflect.apply(bufferJob, undefined, ['sign', ...over(signatureArgs(algorithm, key, data))]);
}

function verify(algorithm, key, data, signature) {
  if (partsOf(key).keyObject.type !== 'public') throw domError('Key must be a public key', 'InvalidAccessError');
  return Reflect.apply(job, undefined, ['verify', ...over(signatureArgs(algorithm, key, data)), signature]);
}

function run(operation, type, { label }, key, data) {
  const { keyObject, algorithm } = partsOf(key);
  if (keyObject.type !== type) throw domError('The requested operation is not valid for the provided key', 'InvalidAccessError');
  const wanted = label !== undefined && label.length > 0 ? label : undefined;
  return bufferJob(operation, tokenOf(keyObject), OAEP, HASHES[algorithm.hash.name], wanted, data);
}

const encrypt = (algorithm, key, data) => run('publicEncrypt', 'public', algorithm, key, data);
const decrypt = (algorithm, key, data) => run('privateDecrypt', 'private', algorithm, key, data);

module.exports = { decrypt, encrypt, exportKey, generateKey, importKey, sign, verify };
