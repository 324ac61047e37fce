'use strict';
// Curves of webcrypto: ECDSA and ECDH, whose curve is a parameter, and Ed25519, X25519 and their kin, which are named after it.

const { over } = intrinsics;
const { Buffer } = require('buffer');
const { makeKey, partsOf } = require('internal/crypto/crypto_key');
const { privateOf, publicOf, tokenOf } = require('internal/crypto/key_object');
const { call, thrownByC } = require('internal/crypto/library');
const { HASHES } = require('internal/crypto/web_secret');
const {
  buffer, bufferJob, checkKind, checkName, checkUsages, checkUse, domError, invalidData, job, jwkHead, once, pairOf, readDer, writeDer,
} = require('internal/crypto/web_common');

const CURVES = { '__proto__': null, 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
const SIGNING = { forPublic: ['verify'], forPrivate: ['sign'], use: 'sig' };
const AGREEING = { forPublic: [], forPrivate: ['deriveKey', 'deriveBits'], use: 'enc' };
// kind: of key objects. size: of a raw key, for those without a parameter
const KINDS = {
  __proto__: null,
  ECDSA: { ...SIGNING, kind: 'ec', jwkNames: { '__proto__': null, 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' } },
  ECDH: { ...AGREEING, kind: 'ec' },
  Ed25519: { ...SIGNING, kind: 'ed25519', size: 32 },
  Ed448: { ...SIGNING, kind: 'ed448', size: 57 },
  X25519: { ...AGREEING, kind: 'x25519', size: 32 },
  X448: { ...AGREEING, kind: 'x448', size: 56 },
};

function checkCurve(namedCurve) {
  if (CURVES[namedCurve] === undefined) throw domError('Unrecognized namedCurve', 'NotSupportedError');
}

const algorithmOf = (name, namedCurve) => namedCurve === undefined ? { name } : { name, namedCurve };

async function generateKey({ name, namedCurve }, extractable, usages) {
  const kind = KINDS[name];
  if (kind.kind === 'ec') checkCurve(namedCurve);
  checkUsages(usages, [...over(kind.forPublic), ...over(kind.forPrivate)], `an ${name}`);
  const token = await (kind.kind === 'ec' ? job('makeEc', CURVES[namedCurve], false) : job('makeEdwards', kind.kind));
  return pairOf(token, algorithmOf(name, namedCurve), extractable, usages, kind);
}

// --- import ---------------------------------------------------------------------------------------------------

function fromRaw(data, name, namedCurve) {
  const { kind, size } = KINDS[name];
  if (size !== undefined && data.length !== size) throw domError(`${name} raw keys must be exactly ${size}-bytes`, 'DataError');
  const token = size === undefined ? call('keyOfPoint', CURVES[namedCurve], data) : call('keyOfRaw', kind, data, false);
  if (token === undefined) throw invalidData();
  return publicOf(token);
}

const sized = (text, name) => {
  const bytes = Buffer.from(text, 'base64url');
  const { size } = KINDS[name];
  if (bytes.length !== size) throw domError(`${name} raw keys must be exactly ${size}-bytes`, 'DataError');
  return bytes;
};

function edwardsOfJwk(jwk, name) {
  const isPrivate = jwk.d !== undefined;
  let token;
  try {
    if (isPrivate) sized(jwk.d, name);
    token = call('keyOfRaw', KINDS[name].kind, sized(isPrivate ? jwk.d : jwk.x, name), isPrivate);
    // Both halves are given: they have to belong together.
    if (isPrivate && !call('keyRaw', token, false).equals(sized(jwk.x, name))) token = undefined;
  } catch (error) {
    throw invalidData(error);
  }
  if (token === undefined) throw invalidData();
  return isPrivate ? privateOf(token) : publicOf(token);
}

function ecOfJwk(jwk) {
  const isPrivate = jwk.d !== undefined;
  try {
    const token = require('internal/crypto/jwk').tokenOfJwk(jwk, isPrivate);
    return isPrivate ? privateOf(token) : publicOf(token);
  } catch {
    throw invalidData(thrownByC(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK EC key'));
  }
}

function fromJwk(jwk, name, namedCurve, usages, extractable) {
  const { kind, forPublic, forPrivate, jwkNames, use } = KINDS[name];
  const allowed = jwk.d !== undefined ? forPrivate : forPublic;
  if (kind === 'ec') {
    checkKind(jwk, 'EC');
    if (jwk.crv !== namedCurve) throw domError('JWK "crv" does not match the requested algorithm', 'DataError');
    checkUsages(usages, allowed, `a ${name}`);
    checkUse(jwk, use, usages, extractable);
    if (jwkNames !== undefined) checkName(jwk.alg, [jwkNames[namedCurve]]);
    return ecOfJwk(jwk);
  }
  checkKind(jwk, 'OKP');
  if (jwk.crv !== name) throw domError('JWK "crv" Parameter and algorithm name mismatch', 'DataError');
  checkUse(jwk, use, usages, extractable);
  if (use === 'sig') checkName(jwk.alg, [name, 'EdDSA']);
  checkUsages(usages, allowed, `a ${name}`);
  return edwardsOfJwk(jwk, name);
}

function read(format, data, name, namedCurve, usages, extractable) {
  const { kind, forPublic, forPrivate } = KINDS[name];
  if (format === 'jwk') return fromJwk(data, name, namedCurve, usages, extractable);
  checkUsages(usages, format === 'pkcs8' ? forPrivate : forPublic, `a ${name}`);
  return format === 'raw' ? fromRaw(data, name, namedCurve) : readDer(format, data, kind);
}

function importKey(format, data, { name, namedCurve }, extractable, usages) {
  if (KINDS[name].kind === 'ec') checkCurve(namedCurve);
  const keyObject = read(format, data, name, namedCurve, usages, extractable);
  if (namedCurve !== undefined && keyObject.asymmetricKeyDetails.namedCurve !== CURVES[namedCurve]) throw domError('Named curve mismatch', 'DataError');
  if (namedCurve !== undefined && !call('keyIsSound', tokenOf(keyObject), keyObject.type === 'private')) throw invalidData();
  return makeKey(keyObject, algorithmOf(name, namedCurve), once(usages), extractable);
}

function exportKey(format, key) {
  const { keyObject, algorithm: { name, namedCurve } } = partsOf(key);
  const isPublic = keyObject.type === 'public';
  const { kind, use } = KINDS[name];
  // However the point was written when the key was read, it is written out whole.
  if (format === 'spki' && isPublic && kind === 'ec') {
    const whole = call('keyOfPoint', CURVES[namedCurve], call('keyPoint', tokenOf(keyObject)));
    return writeDer(format, publicOf(whole));
  }
  if (format === (isPublic ? 'spki' : 'pkcs8')) return writeDer(format, keyObject);
  if (format === 'raw' && isPublic) return kind === 'ec' ? call('keyPoint', tokenOf(keyObject)) : call('keyRaw', tokenOf(keyObject), false);
  if (format !== 'jwk') return undefined;
  const jwk = { ...jwkHead(key), ...require('internal/crypto/jwk').jwkOf(keyObject) };
  if (kind !== 'ec' && use === 'sig') jwk.alg = name;
  return jwk;
}

// --- signatures ---------------------------------------------------------------------------------------------------

// ECDSA's are the two numbers side by side.
function signatureArgs({ hash, context }, key, data) {
  const { keyObject } = partsOf(key);
  if (context !== undefined && context.length > 0) throw domError('Non zero-length context is not yet supported.', 'NotSupportedError');
  return [tokenOf(keyObject), hash === undefined ? undefined : HASHES[hash.name], data, undefined, undefined, hash !== undefined];
}

const sign = (algorithm, key, data) => Reflect.apply(bufferJob, undefined, ['sign', ...over(signatureArgs(algorithm, key, data))]);
const verify = (algorithm, key, data, signature) => Reflect.apply(job, undefined, ['verify', ...over(signatureArgs(algorithm, key, data)), signature]);

// --- agreement --------------------------------------------------------------------------------------------------

async function deriveBits({ public: other }, key, length) {
  const own = partsOf(key);
  const their = partsOf(other);
  if (their.keyObject.type !== 'public') throw domError('algorithm.public must be a public key', 'InvalidAccessError');
  if (own.keyObject.type !== 'private') throw domError('baseKey must be a private key', 'InvalidAccessError');
  if (KINDS[their.algorithm.name]?.use !== 'enc') throw domError('Keys must be ECDH, X25519, or X448 keys', 'InvalidAccessError');
  if (own.algorithm.name !== their.algorithm.name) throw domError('The public and private keys must be of the same type', 'InvalidAccessError');
  if (own.algorithm.namedCurve !== their.algorithm.namedCurve) throw domError('Named curve mismatch', 'InvalidAccessError');
  const bits = await job('agree', tokenOf(own.keyObject), tokenOf(their.keyObject));
  if (length === null) return buffer(bits);
  const size = Math.ceil(length / 8);
  if (bits.length < size) throw domError('derived bit length is too small', 'OperationError');
  const part = new Uint8Array(bits.subarray(0, size));
  if (length % 8 !== 0) part[size - 1] &= 0xff << 8 - length % 8; // no more bits than wanted
  return part.buffer;
}

module.exports = { deriveBits, exportKey, generateKey, importKey, sign, verify };
