'use strict';
// Arguments of SubtleCrypto turned into what Web IDL says they are, with Node's words for those that can't be.

const { ArrayBufferIsView, NumberIsFinite, arrayIncludes, arrayPush, given, over } = intrinsics;
const { Buffer } = require('buffer');
const { isAnyArrayBuffer, isSharedArrayBuffer } = require('internal/kinds');
const { coded } = require('internal/errors');
const { isCryptoKey } = require('internal/crypto/crypto_key');

const FORMATS = ['raw', 'pkcs8', 'spki', 'jwk'];
const USAGES = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];

// where: { prefix: "Failed to execute 'x' on 'SubtleCrypto'", what: '1st argument' }
const refuse = ({ prefix, what }, words, code = 'ERR_INVALID_ARG_TYPE') => coded(TypeError, code, `${prefix}: ${what} ${words}`);

function toText(value, where) {
  if (typeof value === 'symbol') throw refuse(where, 'is a Symbol and cannot be converted to a string.');
  return String(value);
}

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

// A copy: the program may change its own before the work is done.
function toBytes(value, where) {
  const isBuffer = isAnyArrayBuffer(value);
  if (isBuffer && !isSharedArrayBuffer(value)) return Buffer.from(Buffer.from(value));
  if (!ArrayBufferIsView(value)) throw refuse(where, 'is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.');
  if (isSharedArrayBuffer(value.buffer)) throw refuse(where, 'is a view on a SharedArrayBuffer, which is not allowed.');
  return Buffer.from(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
}

function toBigInteger(value, where) {
  if (!(value instanceof Uint8Array)) throw refuse(where, 'is not an Uint8Array object.');
  if (isSharedArrayBuffer(value.buffer)) throw refuse(where, 'is a view on a SharedArrayBuffer, which is not allowed.');
  return new Uint8Array(value);
}

function toNumber(value, where) {
  if (typeof value === 'bigint') throw refuse(where, 'is a BigInt and cannot be converted to a number.');
  if (typeof value === 'symbol') throw refuse(where, 'is a Symbol and cannot be converted to a number.');
  return Number(value);
}

// Within its limits, or refused.
const toCount = (most) => (value, where) => {
  const number = toNumber(value, where);
  if (!NumberIsFinite(number)) throw refuse(where, 'is not a finite number.');
  const whole = Math.trunc(number) || 0;
  if (whole < 0 || whole > most) throw refuse(where, `is outside the expected range of 0 to ${most}.`, 'ERR_OUT_OF_RANGE');
  return whole;
};
const toOctet = toCount(255);
const toShort = toCount(65535);
const toLong = toCount(2 ** 32 - 1);
// The lower 32 bits of anything.
const toLowerLong = (value, where) => toNumber(value, where) >>> 0;

function toKey(value, where) {
  if (!isCryptoKey(value)) throw refuse(where, 'is not of type CryptoKey.');
  return value;
}

const toEnum = (type, values) => (value, where) => {
  const text = toText(value, where);
  if (!arrayIncludes.call(values, text)) throw refuse(where, `value '${text}' is not a valid enum value of type ${type}.`, 'ERR_INVALID_ARG_VALUE');
  return text;
};
const toFormat = toEnum('KeyFormat', FORMATS);
const toUsage = toEnum('KeyUsage', USAGES);

function toList(value, where, convert) {
  const begin = isObject(value) ? value[Symbol.iterator] : undefined;
  if (typeof begin !== 'function') throw refuse(where, 'can not be converted to sequence.');
  const list = [];
  for (const item of given(value)) arrayPush.call(list, convert(item, { prefix: where.prefix, what: `${where.what}, index ${list.length}` }));
  return list;
}
const toUsages = (value, where) => toList(value, where, toUsage);

// --- dictionaries -----------------------------------------------------------------------------------------

// members: [[name, convert, whether it must be there], …], in the order in which they are read
function toDictionary(value, where, type, members) {
  if (value !== undefined && value !== null && !isObject(value)) throw refuse(where, 'can not be converted to a dictionary');
  const dictionary = {};
  for (const { 0: name, 1: convert, 2: isNeeded } of over(members)) {
    const item = value?.[name];
    if (item !== undefined) dictionary[name] = convert(item, { prefix: where.prefix, what: `'${name}' of '${type}' (${where.what})` });
    else if (isNeeded) throw refuse(where, `can not be converted to '${type}' because '${name}' is required in '${type}'.`, 'ERR_MISSING_OPTION');
  }
  return dictionary;
}

const toOtherPrime = (value, where) => toDictionary(value, where, 'RsaOtherPrimesInfo', [['d', toText], ['r', toText], ['t', toText]]);
const JWK = [];
for (const name of over(['alg', 'crv', 'd', 'dp', 'dq', 'e'])) arrayPush.call(JWK, [name, toText]);
arrayPush.call(JWK, ['ext', (value) => Boolean(value)]);
arrayPush.call(JWK, ['k', toText]);
arrayPush.call(JWK, ['key_ops', (value, where) => toList(value, where, toText)]);
for (const name of over(['kty', 'n'])) arrayPush.call(JWK, [name, toText]);
arrayPush.call(JWK, ['oth', (value, where) => toList(value, where, toOtherPrime)]);
for (const name of over(['p', 'q', 'qi', 'use', 'x', 'y'])) arrayPush.call(JWK, [name, toText]);
const toJwk = (value, where) => toDictionary(value, where, 'JsonWebKey', JWK);

// An object as it is, or a text.
const toAlgorithm = (value, where) => isObject(value) ? value : toText(value, where);

module.exports = {
  toAlgorithm, toBigInteger, toBytes, toDictionary, toFormat, toJwk, toKey, toLong, toLowerLong, toOctet, toShort, toText, toUsages,
};
