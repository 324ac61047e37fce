'use strict';
// The common part of webcrypto's algorithms: errors, usages, keys in the formats that all have,
// jobs.

const { arrayFilter, arrayIncludes, over } = intrinsics;
const { callLater, call } = require('internal/crypto/library');
const { makeKey, partsOf } = require('internal/crypto/crypto_key');
const { privateOf, publicOf, tokenOf } = require('internal/crypto/key_object');

const domError = (message, name, cause) => {
  const { DOMException } = require('internal/clone');
  return cause === undefined ? new DOMException(message, name) : new DOMException(message, { name, cause });
};
const invalidData = (cause) => domError('Invalid keyData', 'DataError', cause);
const failed = (cause) => domError('The operation failed for an operation-specific reason', 'OperationError', cause);

// --- jobs ---------------------------------------------------------------------------------------------------

// On the pool; what fails is an OperationError with the reason as its cause.
const job = (operation, ...args) => new Promise((resolve, reject) => {
  callLater(operation, args, (error, value) => {
    if (error) reject(failed(error));
    else resolve(value);
  });
});

// The bytes of a Buffer that nobody else has.
const buffer = (bytes) => bytes.buffer.byteLength === bytes.length ? bytes.buffer : new Uint8Array(bytes).buffer;
const bufferJob = async (...args) => buffer(await Reflect.apply(job, undefined, args));

// --- usages ---------------------------------------------------------------------------------------------------

const once = (usages) => arrayFilter.call(usages, (usage, index) => arrayIncludes.call(usages, usage) && isFirst(usages, usage, index));
function isFirst(usages, usage, index) {
  for (let i = 0; i < index; i++) if (usages[i] === usage) return false;
  return true;
}

// The usages of `allowed` that are wanted, in the order of `allowed`.
const chosen = (usages, allowed) => arrayFilter.call(allowed, (usage) => arrayIncludes.call(usages, usage));

function checkUsages(usages, allowed, words) {
  for (const usage of over(usages)) if (!arrayIncludes.call(allowed, usage)) throw domError(`Unsupported key usage for ${words} key`, 'SyntaxError');
}

// A pair, of which the public half may always be exported.
function pairOf(token, algorithm, extractable, usages, { forPublic, forPrivate }) {
  return {
    publicKey: makeKey(publicOf(token), algorithm, chosen(usages, forPublic), true),
    privateKey: makeKey(privateOf(token), algorithm, chosen(usages, forPrivate), extractable),
  };
}

// --- JSON Web Keys ------------------------------------------------------------------------------------------------

function checkKind(jwk, kty) {
  if (!jwk.kty) throw invalidData();
  if (jwk.kty !== kty) throw domError('Invalid JWK "kty" Parameter', 'DataError');
}

function checkUse({ use, key_ops: operations, ext }, expectedUse, usages, extractable) {
  if (usages.length > 0 && use !== undefined && use !== expectedUse) throw domError('Invalid JWK "use" Parameter', 'DataError');
  if (operations !== undefined) {
    for (let i = 0; i < operations.length; i++) if (!isFirst(operations, operations[i], i)) throw domError('Duplicate key operation', 'DataError');
    for (const usage of over(usages)) if (!arrayIncludes.call(operations, usage)) throw domError('Key operations and usage mismatch', 'DataError');
  }
  if (ext === false && extractable) throw domError('JWK "ext" Parameter and extractable mismatch', 'DataError');
}

function checkName(alg, expected) {
  if (alg !== undefined && !arrayIncludes.call(expected, alg)) throw domError('JWK "alg" does not match the requested algorithm', 'DataError');
}

const DIGITS = { '__proto__': null, 'SHA-1': '1', 'SHA-256': '256', 'SHA-384': '384', 'SHA-512': '512' };
// The name has to name the hash; which of the algorithms that have it doesn't matter.
function checkHash(alg, hash) {
  const digits = DIGITS[hash];
  checkName(alg, [`RS${digits}`, `PS${digits}`, `HS${digits}`, digits === '1' ? 'RSA-OAEP' : `RSA-OAEP-${digits}`]);
}

// The beginning of an exported one.
const jwkHead = (key) => {
  const { usages, extractable } = partsOf(key);
  return { key_ops: [...over(usages)], ext: extractable };
};

// --- spki and pkcs8 -------------------------------------------------------------------------------------------------

// The key object in DER, whose kind must be the one given.
function readDer(format, data, kind) {
  let keyObject;
  try {
    keyObject = format === 'spki' ? publicOf(call('keyRead', data, 'der', 'spki', undefined, 'any')) :
      privateOf(call('keyRead', data, 'der', 'pkcs8', undefined, 'private'));
  } catch (error) {
    throw invalidData(error);
  }
  if (keyObject.asymmetricKeyType !== kind) throw domError('Invalid key type', 'DataError');
  return keyObject;
}

const writeDer = (format, keyObject) => format === 'spki' ? call('keyWritePublic', tokenOf(keyObject), 'der', 'spki') :
  call('keyWritePrivate', tokenOf(keyObject), 'der', 'pkcs8');

module.exports = {
  buffer, bufferJob, checkHash, checkKind, checkName, checkUsages, checkUse, chosen, domError, failed, invalidData, job, jwkHead, once, pairOf, readDer,
  writeDer,
};
