'use strict';
// New keys: secret ones, and pairs.

const { SymbolFor, over } = intrinsics;
const {
  coded, invalidArgType, invalidArgValue, validateBuffer, validateFunction, validateInt32, validateInteger, validateObject, validateOneOf,
  validateString, validateUint32,
} = require('internal/errors');
const { call, callAsJob, callLater, thrownByC } = require('internal/crypto/library');
const { privateOf, publicOf, secretOf } = require('internal/crypto/key_object');
const { randomBytes } = require('internal/crypto/random');
const binding = native('crypto');

// --- secret keys ---------------------------------------------------------------------------------------

// How many bytes a generated key has.
function sizeOf(type, options) {
  validateString(type, 'type');
  if (type !== 'hmac' && type !== 'aes') throw invalidArgValue('type', type, 'must be a supported key type');
  validateObject(options, 'options');
  const { length } = options;
  if (type === 'hmac') validateInteger(length, 'options.length', 8, 2 ** 31 - 1);
  else validateOneOf(length, 'options.length', [128, 192, 256]);
  return Math.floor(length / 8);
}

const generateKeySync = (type, options) => secretOf(randomBytes(sizeOf(type, options)));

function generateKey(type, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  const size = sizeOf(type, options);
  validateFunction(callback, 'callback');
  randomBytes(size, (error, bytes) => {
    if (error) callback(error);
    else callback(null, secretOf(bytes));
  });
}

// --- pairs: [operation, …arguments] of each kind -----------------------------------------------------------

function validateDigestOption(options, name, words) {
  const value = options[name];
  if (value === undefined) return;
  validateString(value, `options.${name}`);
  if (!binding.isDigest(value)) throw thrownByC(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid ${words}: ${value}`);
}

function rsaOptions(options) {
  validateObject(options, 'options');
  const { modulusLength, publicExponent } = options;
  validateUint32(modulusLength, 'options.modulusLength');
  if (publicExponent !== undefined) validateUint32(publicExponent, 'options.publicExponent');
  return [modulusLength, publicExponent ?? 0x10001];
}

// An option that had another name once.
function renamed(options, name, old) {
  const value = options[name];
  const before = options[old];
  if (before !== undefined) {
    process.emitWarning(`"options.${old}" is deprecated, use "options.${name}" instead.`, 'DeprecationWarning', 'DEP0154');
    validateString(before, `options.${old}`);
    if (value !== undefined && value !== before) throw invalidArgValue(`options.${old}`, before);
  }
  return value ?? before;
}

function pssOptions(options) {
  const sizes = rsaOptions(options);
  const { saltLength } = options;
  if (saltLength !== undefined) validateInt32(saltLength, 'options.saltLength', 0);
  if (options.hashAlgorithm !== undefined) validateString(options.hashAlgorithm, 'options.hashAlgorithm');
  if (options.mgf1HashAlgorithm !== undefined) validateString(options.mgf1HashAlgorithm, 'options.mgf1HashAlgorithm');
  const digest = renamed(options, 'hashAlgorithm', 'hash');
  const mask = renamed(options, 'mgf1HashAlgorithm', 'mgf1Hash');
  validateDigestOption({ digest }, 'digest', 'digest');
  validateDigestOption({ mask }, 'mask', 'MGF1 digest');
  return [...over(sizes), digest, mask, saltLength];
}

function dsaOptions(options) {
  validateObject(options, 'options');
  const { modulusLength, divisorLength } = options;
  validateUint32(modulusLength, 'options.modulusLength');
  if (divisorLength !== undefined) validateInt32(divisorLength, 'options.divisorLength', 0);
  return [modulusLength, divisorLength ?? -1];
}

function ecOptions(options) {
  validateObject(options, 'options');
  const { namedCurve, paramEncoding } = options;
  validateString(namedCurve, 'options.namedCurve');
  if (paramEncoding !== undefined && paramEncoding !== null && paramEncoding !== 'named' && paramEncoding !== 'explicit')
    throw invalidArgValue('options.paramEncoding', paramEncoding);
  if (!call('isCurve', namedCurve)) throw thrownByC(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
  return [namedCurve, paramEncoding === 'explicit'];
}

const notTogether = (one, other) =>
  coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', `Option "${one}" cannot be used in combination with option "${other}"`);

function dhOptions(options) {
  validateObject(options, 'options');
  const { group, primeLength, prime, generator } = options;
  if (group !== undefined && group !== null) {
    for (const name of over(['prime', 'primeLength', 'generator']))
      if (options[name] !== undefined && options[name] !== null) throw notTogether('group', name);
    validateString(group, 'options.group');
    const known = require('internal/crypto/diffie_hellman').groupOf(group);
    return [-1, known.prime, known.generator];
  }
  if (prime !== undefined && prime !== null) {
    if (primeLength !== undefined && primeLength !== null) throw notTogether('prime', 'primeLength');
    validateBuffer(prime, 'options.prime');
  } else if (primeLength !== undefined && primeLength !== null) {
    validateInt32(primeLength, 'options.primeLength', 0);
  } else {
    throw coded(TypeError, 'ERR_MISSING_OPTION', 'At least one of the group, prime, or primeLength options is required');
  }
  if (generator !== undefined && generator !== null) validateInt32(generator, 'options.generator', 0);
  return prime === undefined || prime === null ? [primeLength, undefined, generator ?? 2] : [-1, prime, generator ?? 2];
}

const KINDS = {
  '__proto__': null,
  'rsa': (options) => ['makeRsa', ...over(rsaOptions(options))],
  'rsa-pss': (options) => ['makeRsaPss', ...over(pssOptions(options))],
  'dsa': (options) => ['makeDsa', ...over(dsaOptions(options))],
  'ec': (options) => ['makeEc', ...over(ecOptions(options))],
  'dh': (options) => ['makeDh', ...over(dhOptions(options))],
  'ed25519': () => ['makeEdwards', 'ed25519'],
  'ed448': () => ['makeEdwards', 'ed448'],
  'x25519': () => ['makeEdwards', 'x25519'],
  'x448': () => ['makeEdwards', 'x448'],
};

// --- pairs: how they are given -----------------------------------------------------------------------------

function encodingOption(options, name, type, read) {
  const value = options[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') throw invalidArgValue(`options.${name}`, value);
  return read(value, type, name);
}

// → [what to do, how to give the halves]
function forPair(type, options) {
  validateString(type, 'type');
  const { privateEncoding, publicEncoding } = require('internal/crypto/key_export');
  if (options !== undefined && typeof options !== 'object') throw invalidArgType('options', 'of type object', options);
  const { publicKeyEncoding, privateKeyEncoding } = options === undefined ? {} : options;
  const given = { publicKeyEncoding, privateKeyEncoding };
  const how = {
    publicHow: encodingOption(given, 'publicKeyEncoding', type, publicEncoding),
    privateHow: encodingOption(given, 'privateKeyEncoding', type, privateEncoding),
  };
  const kind = KINDS[type];
  if (kind === undefined) throw invalidArgValue('type', type, 'must be a supported key type');
  return { what: kind(options), how };
}

function pairOf(token, { publicHow, privateHow }) {
  const { writePrivate, writePublic } = require('internal/crypto/key_export');
  const publicKey = publicOf(token);
  const privateKey = privateOf(token);
  return {
    publicKey: publicHow === undefined ? publicKey : writePublic(publicKey, publicHow),
    privateKey: privateHow === undefined ? privateKey : writePrivate(privateKey, privateHow),
  };
}

function generateKeyPairSync(type, options) {
  const { what: { 0: operation, ...args }, how } = forPair(type, options);
  return pairOf(callAsJob(operation, Object.values(args)), how);
}

function generateKeyPair(type, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'callback');
  const { what: { 0: operation, ...args }, how } = forPair(type, options);
  callLater(operation, Object.values(args), (error, token) => {
    if (error) {
      callback(error);
      return;
    }
    let pair;
    try {
      pair = pairOf(token, how);
    } catch (problem) {
      callback(problem);
      return;
    }
    callback(null, pair.publicKey, pair.privateKey);
  });
}

// With util.promisify both halves are fields of one object.
Object.defineProperty(generateKeyPair, SymbolFor('nodejs.util.promisify.custom'), {
  __proto__: null,
  value: (type, options) => new Promise((resolve, reject) => {
    generateKeyPair(type, options, (error, publicKey, privateKey) => {
      if (error) reject(error);
      else resolve({ publicKey, privateKey });
    });
  }),
  configurable: true,
});

module.exports = { generateKey, generateKeyPair, generateKeyPairSync, generateKeySync };
