'use strict';
// KeyObject: secret keys are bytes, the halves of pairs tokens of native('crypto').

const { invalidArgType, invalidArgValue, validateObject, validateOneOf, coded } = require('internal/errors');
const tools = require('internal/tools');
const { Buffer } = require('buffer');
const { call } = require('internal/crypto/library');
const binding = native('crypto');

const kType = Symbol('kKeyType'); // these are shown by inspect
const kAsymmetricType = Symbol('kAsymmetricKeyType');
const kDetails = Symbol('kAsymmetricKeyDetails');
const OWN = Symbol('own'); // what only this file can pass as a key
let heldBy; // Buffer or token

class KeyObject {
  #type;
  #held;

  constructor(type, handle) {
    if (type !== 'secret' && type !== 'public' && type !== 'private') throw invalidArgValue('type', type);
    if (typeof handle !== 'object' || handle?.[OWN] === undefined) throw invalidArgType('handle', 'of type object', handle);
    this.#type = type;
    this.#held = handle?.[OWN];
    this[kType] = type;
  }

  static {
    heldBy = (key) => typeof key === 'object' && key !== null && #held in key ? key.#held : undefined;
  }

  get type() {
    return this.#type;
  }

  static from(key) {
    const keyObject = require('internal/crypto/crypto_key').keyObjectOf(key);
    if (keyObject === undefined) throw invalidArgType('key', 'an instance of CryptoKey', key);
    return keyObject;
  }

  equals(otherKeyObject) {
    const other = heldBy(otherKeyObject);
    if (other === undefined) throw invalidArgType('otherKeyObject', 'an instance of KeyObject', otherKeyObject);
    if (this.#type !== otherKeyObject.#type) return false;
    return this.#type === 'secret' ? binding.isEqual(this.#held, other) : call('keyEquals', this.#held, other);
  }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { __proto__: null, value: 'KeyObject', configurable: true });

const isKeyObject = (value) => heldBy(value) !== undefined;
tools.isKeyObject = isKeyObject;

class SecretKeyObject extends KeyObject {
  constructor(handle) {
    super('secret', handle);
  }

  get symmetricKeySize() {
    return heldBy(this).length;
  }

  export(options) {
    if (options !== undefined) {
      validateObject(options, 'options');
      validateOneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
      if (options.format === 'jwk') return { kty: 'oct', k: heldBy(this).toString('base64url') };
    }
    return Buffer.from(heldBy(this));
  }
}

// --- halves of pairs -----------------------------------------------------------------------------

const bigintOf = (bytes) => BigInt(`0x${bytes.toString('hex') || '0'}`);

const DETAILS = {
  __proto__: null,
  'rsa': ({ 0: modulusLength, 1: publicExponent }) => ({ modulusLength, publicExponent: bigintOf(Buffer.from(publicExponent)) }),
  'rsa-pss': (list) => {
    const { 2: hashAlgorithm, 3: mgf1HashAlgorithm, 4: saltLength } = list;
    const limits = hashAlgorithm === undefined ? undefined : { hashAlgorithm, mgf1HashAlgorithm, saltLength };
    return { ...DETAILS.rsa(list), ...limits };
  },
  'dsa': ({ 0: modulusLength, 1: divisorLength }) => ({ modulusLength, divisorLength }),
  'ec': ({ 0: namedCurve }) => ({ namedCurve }),
};

class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() {
    return this[kAsymmetricType] ||= call('keyType', heldBy(this));
  }

  get asymmetricKeyDetails() {
    if (this[kDetails] === undefined) {
      const read = DETAILS[this.asymmetricKeyType];
      this[kDetails] = read === undefined ? {} : read(call('keyDetails', heldBy(this)));
    }
    return { ...this[kDetails] };
  }
}

class PublicKeyObject extends AsymmetricKeyObject {
  constructor(handle) {
    super('public', handle);
  }

  export(options) {
    return require('internal/crypto/key_export').exportPublic(this, options);
  }
}

class PrivateKeyObject extends AsymmetricKeyObject {
  constructor(handle) {
    super('private', handle);
  }

  export(options) {
    return require('internal/crypto/key_export').exportPrivate(this, options);
  }
}

const secretOf = (bytes) => new SecretKeyObject({ [OWN]: bytes });
const publicOf = (token) => new PublicKeyObject({ [OWN]: token });
const privateOf = (token) => new PrivateKeyObject({ [OWN]: token });
// The same key in another object.
const cloneKey = (key) => (key.type === 'secret' ? secretOf : key.type === 'public' ? publicOf : privateOf)(heldBy(key));

// The contents of a key object: bytes of a secret one, a token for C of the others.
const bytesOf = heldBy;
const tokenOf = heldBy;

const invalidKeyType = (type, expected) =>
  coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${type}, expected ${expected}.`);

module.exports = {
  KeyObject, cloneKey, bigintOf, bytesOf, invalidKeyType, isKeyObject, privateOf, publicOf, secretOf, tokenOf,
};
