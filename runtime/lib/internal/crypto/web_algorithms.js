'use strict';
// The algorithms of webcrypto: what each can do, with which parameters, and the file that does it.

const { over, stringSplit, stringToLowerCase } = intrinsics;
const { domError } = require('internal/crypto/web_common');
const {
  toAlgorithm, toBigInteger, toBytes, toDictionary, toKey, toLong, toOctet, toShort, toText,
} = require('internal/crypto/web_arguments');

// --- parameters -------------------------------------------------------------------------------------------

const toHash = (value, { prefix, what }) => normalize(toAlgorithm(value, { prefix, what }), 'digest');

function toBlock(name) {
  return (value, where) => {
    const bytes = toBytes(value, where);
    if (bytes.length !== 16) throw domError(`algorithm.${name} must contain exactly 16 bytes`, 'OperationError');
    return bytes;
  };
}

const TAG_LENGTHS = { __proto__: null, 32: true, 64: true, 96: true, 104: true, 112: true, 120: true, 128: true };
function toTagLength(value, where) {
  const length = toOctet(value, where);
  if (!TAG_LENGTHS[length]) throw domError(`${length} is not a valid AES-GCM tag length`, 'OperationError');
  return length;
}

function toCounterLength(value, where) {
  const length = toOctet(value, where);
  if (length === 0 || length > 128) throw domError('AES-CTR algorithm.length must be between 1 and 128', 'OperationError');
  return length;
}

function toIterations(value, where) {
  const iterations = toLong(value, where);
  if (iterations === 0) throw domError('iterations cannot be zero', 'OperationError');
  return iterations;
}

function toAesLength(value, where) {
  const length = toShort(value, where);
  if (length !== 128 && length !== 192 && length !== 256) throw domError('AES key length must be 128, 192, or 256 bits', 'OperationError');
  return length;
}

// In the order in which they are read: [name, convert, whether it must be there]
const PARAMETERS = {
  __proto__: null,
  AesCbcParams: [['iv', toBlock('iv'), true]],
  AesCtrParams: [['counter', toBlock('counter'), true], ['length', toCounterLength, true]],
  AesDerivedKeyParams: [['length', toShort, true]],
  AesGcmParams: [['additionalData', toBytes], ['iv', toBytes, true], ['tagLength', toTagLength]],
  AesKeyGenParams: [['length', toAesLength, true]],
  EcKeyGenParams: [['namedCurve', toText, true]],
  EcKeyImportParams: [['namedCurve', toText, true]],
  EcdhKeyDeriveParams: [['public', toKey, true]],
  EcdsaParams: [['hash', toHash, true]],
  Ed448Params: [['context', toBytes]],
  HkdfParams: [['hash', toHash, true], ['info', toBytes, true], ['salt', toBytes, true]],
  HmacImportParams: [['hash', toHash, true], ['length', toLong]],
  HmacKeyGenParams: [['hash', toHash, true], ['length', toLong]],
  Pbkdf2Params: [['hash', toHash, true], ['iterations', toIterations, true], ['salt', toBytes, true]],
  RsaHashedImportParams: [['hash', toHash, true]],
  RsaHashedKeyGenParams: [['hash', toHash, true], ['modulusLength', toLong, true], ['publicExponent', toBigInteger, true]],
  RsaOaepParams: [['label', toBytes]],
  RsaPssParams: [['saltLength', toLong, true]],
};

// --- algorithms ---------------------------------------------------------------------------------------------

const AES = 'generateKey:AesKeyGenParams importKey exportKey length:AesDerivedKeyParams';
const RSA = 'generateKey:RsaHashedKeyGenParams importKey:RsaHashedImportParams exportKey';
const EC = 'generateKey:EcKeyGenParams importKey:EcKeyImportParams exportKey';
const RAW = 'generateKey importKey exportKey';

// name: [file, what it can do, each with the parameters that are needed]
const ALGORITHMS = {
  '__proto__': null,
  'SHA-1': [undefined, 'digest'],
  'SHA-256': [undefined, 'digest'],
  'SHA-384': [undefined, 'digest'],
  'SHA-512': [undefined, 'digest'],
  'AES-CBC': ['aes', `${AES} encrypt:AesCbcParams decrypt:AesCbcParams`],
  'AES-CTR': ['aes', `${AES} encrypt:AesCtrParams decrypt:AesCtrParams`],
  'AES-GCM': ['aes', `${AES} encrypt:AesGcmParams decrypt:AesGcmParams`],
  'AES-KW': ['aes', `${AES} wrapKey unwrapKey`],
  'HMAC': ['secret', 'generateKey:HmacKeyGenParams importKey:HmacImportParams exportKey length:HmacImportParams sign verify'],
  'HKDF': ['secret', 'importKey deriveBits:HkdfParams length'],
  'PBKDF2': ['secret', 'importKey deriveBits:Pbkdf2Params length'],
  'RSA-OAEP': ['rsa', `${RSA} encrypt:RsaOaepParams decrypt:RsaOaepParams`],
  'RSA-PSS': ['rsa', `${RSA} sign:RsaPssParams verify:RsaPssParams`],
  'RSASSA-PKCS1-v1_5': ['rsa', `${RSA} sign verify`],
  'ECDSA': ['curve', `${EC} sign:EcdsaParams verify:EcdsaParams`],
  'ECDH': ['curve', `${EC} deriveBits:EcdhKeyDeriveParams`],
  'Ed25519': ['curve', `${RAW} sign verify`],
  'Ed448': ['curve', `${RAW} sign:Ed448Params verify:Ed448Params`],
  'X25519': ['curve', `${RAW} deriveBits:EcdhKeyDeriveParams`],
  'X448': ['curve', `${RAW} deriveBits:EcdhKeyDeriveParams`],
};

const byName = new Map(); // in small letters → { name, file, does }
for (const name of over(Object.keys(ALGORITHMS))) {
  const { 0: file, 1: text } = ALGORITHMS[name];
  const does = { __proto__: null };
  for (const word of over(stringSplit.call(text, ' '))) {
    const { 0: operation, 1: type } = stringSplit.call(word, ':');
    does[operation] = type ?? null;
  }
  byName.set(stringToLowerCase.call(name), { name, file, does });
}

const warned = new Set();
function warn(name) {
  if ((name !== 'Ed448' && name !== 'X448') || warned.has(name)) return;
  warned.add(name);
  process.emitWarning(`The ${name} Web Crypto API algorithm is an experimental feature and might change at any time`, 'ExperimentalWarning');
}

const WHERE = { prefix: 'Failed to normalize algorithm', what: 'passed algorithm' };

// algorithm: text or object, as toAlgorithm leaves it. → its parameters, with the name as it is written
function normalize(algorithm, operation) {
  const { name } = typeof algorithm === 'string' ? { name: algorithm } :
    toDictionary(algorithm, WHERE, 'Algorithm', [['name', toText, true]]);
  const found = byName.get(stringToLowerCase.call(name));
  if (found === undefined || !(operation in found.does)) throw domError('Unrecognized algorithm name', 'NotSupportedError');
  warn(found.name);
  const type = found.does[operation];
  if (type === null) return { name: found.name };
  return { name: found.name, ...toDictionary(typeof algorithm === 'string' ? { name } : algorithm, WHERE, type, PARAMETERS[type]) };
}

// The functions of an algorithm: { generateKey, importKey, … }
const doerOf = (name) => require(`internal/crypto/web_${byName.get(stringToLowerCase.call(name)).file}`);

module.exports = { doerOf, normalize };
