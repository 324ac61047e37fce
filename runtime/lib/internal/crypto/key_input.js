'use strict';
// Keys that programs pass: key objects, PEM, DER, JSON Web Keys, with a passphrase where one is needed.

const { Buffer } = require('buffer');
const { coded, invalidArgType, invalidArgValue, validateObject } = require('internal/errors');
const { ANY_KEY_TYPES, KEY_TYPES, call, isBytes } = require('internal/crypto/library');
const { invalidKeyType, isKeyObject, bytesOf, privateOf, publicOf, secretOf, tokenOf } = require('internal/crypto/key_object');
const { isCryptoKey, keyObjectOf } = require('internal/crypto/crypto_key');

const isData = (value) => typeof value === 'string' || isBytes(value);

// Names of options: of `options` itself, or of one of its fields.
const optionName = (name, owner) => owner === undefined ? `options.${name}` : `options.${owner}.${name}`;

// The key object of either kind of key, or undefined.
const objectOf = (value) => isKeyObject(value) ? value : isCryptoKey(value) ? keyObjectOf(value) : undefined;

// --- formats and types ------------------------------------------------------------------------------

const incompatible = (name, words) =>
  coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${name} ${words}.`);

function formatOf({ format }, otherwise, owner) {
  if (format === undefined && otherwise !== undefined) return otherwise;
  if (format === 'pem' || format === 'der' || format === 'jwk') return format;
  throw invalidArgValue(optionName('format', owner), format);
}

// isPublic: undefined where either half will do. keyType: 'rsa' and the like, if it is known.
function typeOf({ type }, isNeeded, keyType, isPublic, owner) {
  if (type === undefined && !isNeeded) return undefined;
  if (type === 'pkcs1') {
    if (keyType !== undefined && keyType !== 'rsa') throw incompatible('pkcs1', 'can only be used for RSA keys');
    return type;
  }
  if (type === 'spki' && isPublic !== false) return type;
  if (type === 'pkcs8' && isPublic !== true) return type;
  if (type === 'sec1' && isPublic !== true) {
    if (keyType !== undefined && keyType !== 'ec') throw incompatible('sec1', 'can only be used for EC keys');
    return type;
  }
  throw invalidArgValue(optionName('type', owner), type);
}

const dataBytes = (value, encoding) =>
  typeof value === 'string' ? Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding) : value;

// --- what a key is asked for --------------------------------------------------------------------------

// A use says which half is needed and whether key objects will do.
const TO_SIGN = { isPrivate: true, takesObjects: true };
const TO_VERIFY = { isPrivate: false, takesObjects: true };
const TO_MAKE_PRIVATE = { isPrivate: true, takesObjects: false };
const TO_MAKE_PUBLIC = { isPrivate: false, takesObjects: true, fromPrivate: true };

function tokenFor(keyObject, { isPrivate, fromPrivate }) {
  const { type } = keyObject;
  if (type === 'private' || (type === 'public' && !isPrivate && !fromPrivate)) return tokenOf(keyObject);
  throw invalidKeyType(type, isPrivate || fromPrivate ? 'private' : 'private or public');
}

const refused = (name, value, { takesObjects }) => invalidArgType(name, takesObjects ? ANY_KEY_TYPES : KEY_TYPES, value);

// Reads the token of a key that is text or bytes.
function readerOfData(data, options, { isPrivate }) {
  const wanted = isPrivate ? 'private' : 'any';
  const { passphrase, encoding } = options;
  const format = formatOf(options, 'pem');
  const type = typeOf(options, format === 'der', undefined, isPrivate ? false : undefined);
  if (passphrase !== undefined && !isData(passphrase)) throw invalidArgValue('options.passphrase', passphrase);
  const bytes = dataBytes(data, encoding);
  const secret = dataBytes(passphrase, encoding);
  return () => call('keyRead', bytes, format, type, secret, wanted);
}

// key: what was passed as the argument or option `key`. The key is checked now; the function that is returned
// reads the key, and gives its token.
function keyReader(key, use) {
  const own = objectOf(key);
  if (own !== undefined && use.takesObjects) return held(tokenFor(own, use));
  if (typeof key === 'string' || isBytes(key)) return readerOfData(dataBytes(key), {}, use);
  if (typeof key !== 'object' || own !== undefined) throw refused('key', key, use);
  const { key: data, format, encoding } = key;
  const inner = objectOf(data);
  if (inner !== undefined) {
    if (!use.takesObjects) throw refused('key', data, use);
    return held(tokenFor(inner, use));
  }
  if (format === 'jwk') {
    validateObject(data, 'key.key');
    return held(require('internal/crypto/jwk').tokenOfJwk(data, use.isPrivate));
  }
  if (!isData(data)) throw refused('key.key', data, use);
  return readerOfData(dataBytes(data, encoding), key, use);
}
const held = (token) => () => token;

// --- for programs ------------------------------------------------------------------------------------------

const createPrivateKey = (key) => privateOf(keyReader(key, TO_MAKE_PRIVATE)());
const createPublicKey = (key) => publicOf(keyReader(key, TO_MAKE_PUBLIC)());

// The bytes of a secret key: a key object, text, or bytes.
function secretBytes(key, encoding, expected, name = 'key') {
  const own = objectOf(key);
  if (own !== undefined) {
    if (own.type !== 'secret') throw invalidKeyType(own.type, 'secret');
    return bytesOf(own);
  }
  if (isData(key)) return dataBytes(key, encoding);
  throw invalidArgType(name, expected ?? ANY_KEY_TYPES, key);
}

const copied = (bytes) => typeof bytes.byteOffset === 'number' ?
  Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : Buffer.from(Buffer.from(bytes));

function createSecretKey(key, encoding) {
  const expected = 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView';
  if (objectOf(key) !== undefined) throw invalidArgType('key', expected, key);
  return secretOf(copied(secretBytes(key, encoding, expected)));
}

module.exports = {
  TO_SIGN, TO_VERIFY, createPrivateKey, createPublicKey, createSecretKey, dataBytes, formatOf, incompatible, isData, keyReader, objectOf,
  optionName, secretBytes, typeOf,
};
