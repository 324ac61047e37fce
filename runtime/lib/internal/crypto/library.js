'use strict';
// OpenSSL, loaded here, and what the parts of crypto share: bytes of arguments, names of
// encodings, errors.

const { ArrayBufferIsView, over, stringToLowerCase } = intrinsics;
const binding = native('crypto');
const { Buffer } = require('buffer');
const { isAnyArrayBuffer } = require('internal/kinds');
const { coded, invalidArgType, invalidArgValue, notImplemented } = require('internal/errors');

if (binding.problem !== undefined) throw notImplemented(`Module 'crypto' (${binding.problem})`);

const NAMES = {
  __proto__: null, utf8: 'utf8', 'utf-8': 'utf8', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
  latin1: 'latin1', binary: 'latin1', base64: 'base64', base64url: 'base64url', hex: 'hex', ascii: 'ascii',
};
// undefined for what is no encoding, `buffer` included
const encodingOf = (name) => typeof name === 'string' ? NAMES[stringToLowerCase.call(name)] : undefined;

// Text in an encoding that isn't one is taken for UTF-8.
function textBytes(text, encoding) {
  const name = encodingOf(encoding);
  if (name === 'hex' && text.length % 2 !== 0) throw invalidArgValue('encoding', encoding, `is invalid for data of length ${text.length}`);
  return Buffer.from(text, name ?? 'utf8');
}

const isBytes = (value) => ArrayBufferIsView(value) || isAnyArrayBuffer(value);

// For arguments that are text, a view or a buffer.
function bytesArg(value, name, encoding) {
  if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
  if (isBytes(value)) return value;
  throw invalidArgType(name, 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView', value);
}

// For data, in pieces: text or a view.
function dataArg(data, encoding) {
  if (typeof data === 'string') return textBytes(data, encoding);
  if (ArrayBufferIsView(data)) return data;
  throw invalidArgType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
}

// An error that in Node comes from C++: its code doesn't show in its text.
const thrownByC = (Base, code, message) => Object.assign(new Base(message), { code });

const invalidDigest = (name) => thrownByC(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);
const invalidState = (operation) => coded(Error, 'ERR_CRYPTO_INVALID_STATE', `Invalid state for operation ${operation}`);

// A number of `options` that may be left out: -1 then.
function countOption(options, name) {
  const value = options?.[name];
  if (value === undefined || value === null) return -1;
  if (value >>> 0 !== value) throw invalidArgValue(`options.${name}`, value);
  return value;
}

// Each name once, whatever its letters: the one in small letters if there is one.
function namesOnce(names) {
  const found = new Map();
  for (const name of over(names)) {
    const small = stringToLowerCase.call(name);
    if (!found.has(small) || name === small) found.set(small, name);
  }
  return [...over(found.values())];
}

// --- operations of the library (js_crypto_call.c) -------------------------------------------------

// Bytes of a result, which belong to nobody else.
const bufferOf = (bytes) => Buffer.from(bytes.buffer, 0, bytes.length);
const results = (value) => value instanceof Uint8Array ? bufferOf(value) : value;

// At once; what fails is thrown. A result that is bytes is a Buffer.
const call = (operation, ...args) => results(Reflect.apply(binding.call, binding, [operation, undefined, ...over(args)]));

// On the pool; then callback(error, value).
function callLater(operation, args, callback) {
  const answer = (error, value) => {
    if (error) callback(error);
    else callback(null, results(value));
  };
  Reflect.apply(binding.callLater, binding, [operation, answer, ...over(args)]);
}

// The same at once, with the errors that it would have there, which have no code.
const callAsJob = (operation, args) => results(Reflect.apply(binding.callLater, binding, [operation, undefined, ...over(args)]));

const isText = (encoding) => Boolean(encoding) && encoding !== 'buffer';
// Bytes, or text where an encoding is given.
const encoded = (bytes, encoding) => isText(encoding) ? bytes.toString(encoding) : bytes;

const KEY_TYPES = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView';
const ANY_KEY_TYPES = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey';

module.exports = {
  ANY_KEY_TYPES, KEY_TYPES, bytesArg, call, callAsJob, callLater, encoded, isText,
  countOption, dataArg, encodingOf, invalidDigest, invalidState, isBytes, namesOnce,
  thrownByC,
};
