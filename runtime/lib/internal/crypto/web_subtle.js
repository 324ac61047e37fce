'use strict';
// SubtleCrypto: checks what is asked for and has the algorithm's file (web_algorithms) do it.

const { arrayIncludes, over, stringRepeat } = intrinsics;
const { Buffer } = require('buffer');
const { coded } = require('internal/errors');
const { partsOf } = require('internal/crypto/crypto_key');
const { HASHES } = require('internal/crypto/web_secret');
const { buffer, bufferJob, domError } = require('internal/crypto/web_common');
const { doerOf, normalize } = require('internal/crypto/web_algorithms');
const {
  toAlgorithm, toBytes, toFormat, toJwk, toKey, toLowerLong, toUsages,
} = require('internal/crypto/web_arguments');

const toBoolean = (value) => Boolean(value);
const toBits = (value, where) => value === null || value === undefined ? null : toLowerLong(value, where);
const toKeyData = (value, where, { 0: format }) => format === 'jwk' ? toJwk(value, where) : toBytes(value, where);
const PLACES = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th'];

// Method → the conversions of its arguments; how many must be given; what it does.
const METHODS = {
  encrypt: [[toAlgorithm, toKey, toBytes], 3, (algorithm, key, data) => cipher('encrypt', algorithm, key, data)],
  decrypt: [[toAlgorithm, toKey, toBytes], 3, (algorithm, key, data) => cipher('decrypt', algorithm, key, data)],
  sign: [[toAlgorithm, toKey, toBytes], 3, sign],
  verify: [[toAlgorithm, toKey, toBytes, toBytes], 4, verify],
  digest: [[toAlgorithm, toBytes], 2, digest],
  generateKey: [[toAlgorithm, toBoolean, toUsages], 3, generateKey],
  deriveKey: [[toAlgorithm, toKey, toAlgorithm, toBoolean, toUsages], 5, deriveKey],
  deriveBits: [[toAlgorithm, toKey, toBits], 2, deriveBits],
  importKey: [[toFormat, toKeyData, toAlgorithm, toBoolean, toUsages], 4, importKey],
  exportKey: [[toFormat, toKey], 2, exportKey],
  wrapKey: [[toFormat, toKey, toKey, toAlgorithm], 4, wrapKey],
  unwrapKey: [[toFormat, toBytes, toKey, toAlgorithm, toAlgorithm, toBoolean, toUsages], 7, unwrapKey],
};

function converted(name, conversions, least, args) {
  const prefix = `Failed to execute '${name}' on 'SubtleCrypto'`;
  if (args.length < least)
    throw coded(TypeError, 'ERR_MISSING_ARGS', `${prefix}: ${least} argument${least === 1 ? '' : 's'} required, but only ${args.length} present.`);
  const list = [];
  for (let i = 0; i < conversions.length; i++) list[i] = conversions[i](args[i], { prefix, what: `${PLACES[i]} argument` }, list);
  return list;
}

// --- ciphers and signatures ----------------------------------------------------------------------------------

const mayNot = (words) => domError(words, 'InvalidAccessError');
const fits = (key, algorithm, usage) => {
  const { algorithm: { name }, usages } = partsOf(key);
  return name === algorithm.name && arrayIncludes.call(usages, usage);
};

// does: what is asked of the algorithm, usage: what the key must allow
async function cipherAs(does, usage, algorithm, key, data) {
  if (!fits(key, algorithm, usage)) throw mayNot('The requested operation is not valid for the provided key');
  return doerOf(algorithm.name)[does](algorithm, key, data);
}

const cipher = (does, given, key, data) => cipherAs(does, does, normalize(given, does), key, data);

async function sign(given, key, data) {
  const algorithm = normalize(given, 'sign');
  if (!fits(key, algorithm, 'sign')) throw mayNot('Unable to use this key to sign');
  const signature = await doerOf(algorithm.name).sign(algorithm, key, data);
  return signature instanceof Uint8Array ? buffer(signature) : signature;
}

async function verify(given, key, signature, data) {
  const algorithm = normalize(given, 'verify');
  if (!fits(key, algorithm, 'verify')) throw mayNot('Unable to use this key to verify');
  return doerOf(algorithm.name).verify(algorithm, key, data, signature);
}

async function digest(given, data) {
  return bufferJob('digest', HASHES[normalize(given, 'digest').name], data);
}

// --- keys ------------------------------------------------------------------------------------------------------

async function generateKey(given, extractable, usages) {
  const algorithm = normalize(given, 'generateKey');
  const made = await doerOf(algorithm.name).generateKey(algorithm, extractable, usages);
  if (partsOf(made.privateKey ?? made).usages.length === 0) throw domError('Usages cannot be empty when creating a key.', 'SyntaxError');
  return made;
}

function importAs(format, data, algorithm, extractable, usages) {
  const key = doerOf(algorithm.name).importKey(format, data, algorithm, extractable, usages);
  const { keyObject: { type }, usages: left } = partsOf(key);
  if (type !== 'public' && left.length === 0) throw domError(`Usages cannot be empty when importing a ${type} key.`, 'SyntaxError');
  return key;
}

async function importKey(format, data, given, extractable, usages) {
  return importAs(format, data, normalize(given, 'importKey'), extractable, usages);
}

async function exportKey(format, key) {
  const { extractable, algorithm: { name }, keyObject: { type } } = partsOf(key);
  if (!extractable) throw domError('key is not extractable', 'InvalidAccessException');
  const data = doerOf(name).exportKey(format, key);
  if (data === undefined) throw mayNot(`Unable to export a ${format === 'pkcs8' ? 'pkcs8' : 'raw'} ${name} ${type} key`);
  return format === 'jwk' ? data : buffer(data);
}

// --- derived bits and keys -----------------------------------------------------------------------------------------

async function derive(algorithm, key, length, usage) {
  const { algorithm: { name }, usages } = partsOf(key);
  if (!arrayIncludes.call(usages, usage)) throw mayNot(`baseKey does not have ${usage} usage`);
  if (name !== algorithm.name) throw mayNot('Key algorithm mismatch');
  return doerOf(name).deriveBits(algorithm, key, length());
}

async function deriveBits(given, key, length) {
  return derive(normalize(given, 'deriveBits'), key, () => length, 'deriveBits');
}

async function deriveKey(given, key, wanted, extractable, usages) {
  const algorithm = normalize(given, 'deriveBits');
  const made = normalize(wanted, 'importKey');
  const sized = normalize(wanted, 'length');
  const bits = await derive(algorithm, key, () => doerOf(sized.name).keyLength(sized), 'deriveKey');
  return importAs('raw', Buffer.from(bits), made, extractable, usages);
}

// --- wrapped keys ----------------------------------------------------------------------------------------------------

// A cipher that is no wrapping algorithm will do.
function normalizeWrap(given, wrap, otherwise) {
  try {
    return { algorithm: normalize(given, wrap), does: wrap };
  } catch {
    return { algorithm: normalize(given, otherwise), does: otherwise };
  }
}

function jwkBytes(jwk, algorithm) {
  let text = JSON.stringify(jwk);
  // AES-KW wraps whole blocks of eight bytes; spaces at the end change nothing.
  if (algorithm.name === 'AES-KW' && text.length % 8 !== 0) text += stringRepeat.call(' ', 8 - text.length % 8);
  return Buffer.from(text);
}

async function wrapKey(format, key, wrappingKey, given) {
  const { algorithm, does } = normalizeWrap(given, 'wrapKey', 'encrypt');
  const data = await exportKey(format, key);
  return cipherAs(does, 'wrapKey', algorithm, wrappingKey, format === 'jwk' ? jwkBytes(data, algorithm) : Buffer.from(data));
}

async function unwrapKey(format, wrapped, unwrappingKey, given, wanted, extractable, usages) {
  const { algorithm, does } = normalizeWrap(given, 'unwrapKey', 'decrypt');
  const made = normalize(wanted, 'importKey');
  const bytes = Buffer.from(await cipherAs(does, 'unwrapKey', algorithm, unwrappingKey, wrapped));
  let data = bytes;
  if (format === 'jwk')
    try {
      data = toJwk(JSON.parse(bytes.toString()), { prefix: "Failed to execute 'unwrapKey' on 'SubtleCrypto'", what: 'wrapped key' });
    } catch {
      throw domError('Invalid wrapped JWK key', 'DataError');
    }
  return importAs(format, data, made, extractable, usages);
}

// --- the class -----------------------------------------------------------------------------------------------------

const OWN = Symbol('own');
let isSubtle;

class SubtleCrypto {
  #own;
  constructor(own) {
    if (own !== OWN) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#own = own;
  }

  static {
    isSubtle = (value) => typeof value === 'object' && value !== null && #own in value;
  }
}

for (const name of over(Object.keys(METHODS))) {
  const { 0: conversions, 1: least, 2: act } = METHODS[name];
  const method = {
    async [name](...args) {
      if (!isSubtle(this)) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type SubtleCrypto');
      return Reflect.apply(act, undefined, converted(name, conversions, least, args));
    },
  }[name];
  const length = name === 'importKey' ? 5 : least;
  Object.defineProperty(method, 'length', { __proto__: null, value: length, configurable: true });
  Object.defineProperty(SubtleCrypto.prototype, name, { __proto__: null, value: method, writable: true, enumerable: true, configurable: true });
}
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag, { __proto__: null, value: 'SubtleCrypto', configurable: true });

module.exports = { SubtleCrypto, subtle: new SubtleCrypto(OWN) };
