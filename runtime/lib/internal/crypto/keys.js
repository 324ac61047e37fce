'use strict';
// Key objects, of secret keys only.

const binding = native('crypto');
const tools = require('internal/tools');
const { Buffer } = require('buffer');
const {
  invalidArgType, invalidArgValue, validateFunction, validateInteger, validateObject, validateOneOf, validateString,
} = require('internal/errors');
const { isBytes } = require('internal/crypto/library');
const { randomBytes } = require('internal/crypto/random');

const kType = Symbol('kKeyType');
const OWN = Symbol('own'); // what only this file can pass as a key
let bytesOf;
let isKeyObject;

class KeyObject {
  #type;
  #bytes;

  constructor(type, handle) {
    if (type !== 'secret' && type !== 'public' && type !== 'private') throw invalidArgValue('type', type);
    if (typeof handle !== 'object') throw invalidArgType('handle', 'of type object', handle);
    this.#type = type;
    this.#bytes = handle?.[OWN];
    this[kType] = type; // shown by inspect
  }

  static {
    bytesOf = (key) => key.#bytes;
    isKeyObject = (value) => typeof value === 'object' && value !== null && #bytes in value && value.#bytes !== undefined;
  }

  get type() {
    return this.#type;
  }

  static from(key) {
    throw invalidArgType('key', 'an instance of CryptoKey', key);
  }

  equals(otherKeyObject) {
    if (!isKeyObject(otherKeyObject)) throw invalidArgType('otherKeyObject', 'an instance of KeyObject', otherKeyObject);
    return this.#type === otherKeyObject.#type && binding.isEqual(this.#bytes, otherKeyObject.#bytes);
  }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { __proto__: null, value: 'KeyObject', configurable: true });

class SecretKeyObject extends KeyObject {
  constructor(handle) {
    super('secret', handle);
  }

  get symmetricKeySize() {
    return bytesOf(this).length;
  }

  export(options) {
    if (options !== undefined) {
      validateObject(options, 'options');
      validateOneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
      if (options.format === 'jwk') return { kty: 'oct', k: bytesOf(this).toString('base64url') };
    }
    return Buffer.from(bytesOf(this));
  }
}

tools.isKeyObject = (value) => isKeyObject(value);

const secretOf = (bytes) => new SecretKeyObject({ [OWN]: bytes });

// The bytes of a key: a key object, text, or bytes.
function secretBytes(key, encoding, expected, name = 'key') {
  if (isKeyObject(key)) return bytesOf(key);
  if (typeof key === 'string') return Buffer.from(key, encoding === 'buffer' ? 'utf8' : encoding);
  if (isBytes(key)) return key;
  throw invalidArgType(name, expected ?? 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey', key);
}

const copied = (bytes) => typeof bytes.byteOffset === 'number' ?
  Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : Buffer.from(Buffer.from(bytes));

function createSecretKey(key, encoding) {
  const expected = 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView';
  if (isKeyObject(key)) throw invalidArgType('key', expected, key);
  return secretOf(copied(secretBytes(key, encoding, expected)));
}

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

module.exports = { KeyObject, createSecretKey, generateKey, generateKeySync, secretBytes };
