'use strict';
// Pairs of keys as JSON Web Keys (RFC 7517, 7518, 8037).

const { arrayMap, over } = intrinsics;
const { Buffer } = require('buffer');
const { coded, validateOneOf, validateString } = require('internal/errors');
const { call, thrownByC } = require('internal/crypto/library');
const { tokenOf } = require('internal/crypto/key_object');

const RSA_FIELDS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
const CURVES = { '__proto__': null, 'P-256': 'prime256v1', 'secp256k1': 'secp256k1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
const JWK_CURVES = { __proto__: null, prime256v1: 'P-256', secp256k1: 'secp256k1', secp384r1: 'P-384', secp521r1: 'P-521' };
const EDWARDS = { __proto__: null, Ed25519: 'ed25519', Ed448: 'ed448', X25519: 'x25519', X448: 'x448' };
const EDWARDS_NAMES = { __proto__: null, ed25519: 'Ed25519', ed448: 'Ed448', x25519: 'X25519', x448: 'X448' };

const invalid = (what) => coded(TypeError, 'ERR_CRYPTO_INVALID_JWK', `Invalid JWK ${what}`);
const bytesOfText = (text) => Buffer.from(text, 'base64url');
const textOf = (bytes) => Buffer.from(bytes).toString('base64url');

function fieldsOf(jwk, names) {
  return arrayMap.call(names, (name) => {
    validateString(jwk[name], `key.${name}`);
    return bytesOfText(jwk[name]);
  });
}

// --- from a JWK ------------------------------------------------------------------------------------

const readers = {
  __proto__: null,
  RSA(jwk, isPrivate) {
    validateString(jwk.n, 'key.n');
    validateString(jwk.e, 'key.e');
    // A public key of a private one, where a public one is needed.
    const isWhole = isPrivate || jwk.d !== undefined;
    const token = Reflect.apply(call, undefined, ['keyOfRsa', ...over(fieldsOf(jwk, isWhole ? RSA_FIELDS : ['n', 'e']))]);
    if (token === undefined) throw invalid('RSA key');
    return token;
  },
  EC(jwk, isPrivate) {
    validateString(jwk.crv, 'key.crv');
    validateOneOf(jwk.crv, 'key.crv', Object.keys(CURVES));
    validateString(jwk.x, 'key.x');
    validateString(jwk.y, 'key.y');
    const isWhole = isPrivate || jwk.d !== undefined;
    const token = Reflect.apply(call, undefined, ['keyOfEc', CURVES[jwk.crv], ...over(fieldsOf(jwk, isWhole ? ['x', 'y', 'd'] : ['x', 'y']))]);
    if (token === undefined) throw invalid('EC key');
    return token;
  },
  OKP(jwk, isPrivate) {
    validateString(jwk.crv, 'key.crv');
    validateOneOf(jwk.crv, 'key.crv', Object.keys(EDWARDS));
    validateString(jwk.x, 'key.x');
    if (isPrivate) validateString(jwk.d, 'key.d');
    const token = call('keyOfRaw', EDWARDS[jwk.crv], bytesOfText(isPrivate ? jwk.d : jwk.x), isPrivate);
    if (token === undefined) throw invalid('data');
    return token;
  },
};

function tokenOfJwk(jwk, isPrivate) {
  validateOneOf(jwk.kty, 'key.kty', ['RSA', 'EC', 'OKP']);
  return readers[jwk.kty](jwk, isPrivate);
}

// --- to a JWK ----------------------------------------------------------------------------------------

function rsaOf(token, isPrivate) {
  const parts = call('keyRsaParts', token, isPrivate);
  const jwk = { kty: 'RSA' };
  for (let i = 0; i < parts.length; i++) jwk[RSA_FIELDS[i]] = textOf(parts[i]);
  return jwk;
}

function ecOf(token, isPrivate, curve) {
  const crv = JWK_CURVES[curve];
  if (crv === undefined) throw thrownByC(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_CURVE', `Unsupported JWK EC curve: ${curve}.`);
  const { 1: x, 2: y, 3: d } = call('keyEcParts', token, isPrivate);
  const jwk = { kty: 'EC', x: textOf(x), y: textOf(y), crv };
  return isPrivate ? { ...jwk, d: textOf(d) } : jwk;
}

function edwardsOf(token, isPrivate, kind) {
  const x = textOf(call('keyRaw', token, false));
  const crv = EDWARDS_NAMES[kind];
  return isPrivate ? { crv, d: textOf(call('keyRaw', token, true)), x, kty: 'OKP' } : { crv, x, kty: 'OKP' };
}

function jwkOf(keyObject) {
  const token = tokenOf(keyObject);
  const kind = keyObject.asymmetricKeyType;
  const isPrivate = keyObject.type === 'private';
  if (kind === 'rsa') return rsaOf(token, isPrivate);
  if (kind === 'ec') return ecOf(token, isPrivate, keyObject.asymmetricKeyDetails.namedCurve);
  if (EDWARDS_NAMES[kind] !== undefined) return edwardsOf(token, isPrivate, kind);
  throw coded(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE', 'Unsupported JWK Key Type.');
}

module.exports = { jwkOf, tokenOfJwk };
