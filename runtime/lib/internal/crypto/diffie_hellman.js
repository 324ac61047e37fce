'use strict';
// Diffie-Hellman, by numbers and on curves, and between key objects.

const { ArrayBufferIsView } = intrinsics;
const { Buffer } = require('buffer');
const {
  coded, invalidArgType, invalidArgValue, unknownEncoding, validateInt32, validateObject, validateString,
} = require('internal/errors');
const { KEY_TYPES, bytesArg, call, encodingOf, isBytes, thrownByC } = require('internal/crypto/library');
const { invalidKeyType, isKeyObject, tokenOf } = require('internal/crypto/key_object');

const state = (message) => thrownByC(Error, 'ERR_CRYPTO_INVALID_STATE', message);

// Bytes, or text in an encoding that has to be one.
function given(bytes, encoding) {
  if (!encoding || encoding === 'buffer') return bytes;
  if (encodingOf(encoding) === undefined) throw unknownEncoding(encoding);
  return bytes.toString(encoding);
}

const copy = (bytes) => ArrayBufferIsView(bytes) ? Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) :
  Buffer.from(Buffer.from(bytes));

// --- numbers ------------------------------------------------------------------------------------------

const kState = Symbol('kHandle');
const stateOf = (self) => self[kState];

function stateSet(self, made) {
  Object.defineProperty(self, kState, { __proto__: null, value: made, writable: true, configurable: true, enumerable: false });
}

function open(self, prime, generator, verifyError) {
  stateSet(self, { prime, generator, publicKey: undefined, privateKey: undefined });
  Object.defineProperty(self, 'verifyError', { __proto__: null, value: verifyError, writable: false, enumerable: true, configurable: false });
}

const groups = new Map(); // name → { prime, generator }

function groupOf(name) {
  let group = groups.get(name);
  if (group === undefined) {
    const prime = call('dhGroup', name);
    if (prime === undefined) throw thrownByC(Error, 'ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
    groups.set(name, group = { prime, generator: 2 });
  }
  return group;
}

const numberTypes = 'one of type number or string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView';

function generatorBytes(generator, encoding) {
  if (!generator) return Buffer.from([2]);
  if (typeof generator === 'number') {
    validateInt32(generator, 'generator');
    return generator > 0 ? Buffer.from([generator >>> 24, generator >>> 16, generator >>> 8, generator]) : Buffer.alloc(0);
  }
  if (typeof generator === 'string') return Buffer.from(generator, encoding === 'buffer' ? 'utf8' : encoding);
  if (isBytes(generator)) return copy(generator);
  throw invalidArgType('generator', numberTypes, generator);
}

function DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding) {
  if (!(this instanceof DiffieHellman)) return new DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding);
  if (typeof sizeOrKey !== 'number' && typeof sizeOrKey !== 'string' && !isBytes(sizeOrKey)) throw invalidArgType('sizeOrKey', numberTypes, sizeOrKey);
  if (typeof sizeOrKey === 'number') validateInt32(sizeOrKey, 'sizeOrKey');
  // The encoding may be left out.
  if (keyEncoding && keyEncoding !== 'buffer' && encodingOf(keyEncoding) === undefined) {
    genEncoding = generator;
    generator = keyEncoding;
    keyEncoding = undefined;
  }
  const base = generatorBytes(generator, genEncoding);
  let prime;
  if (typeof sizeOrKey === 'number') {
    if (generator && typeof generator !== 'number') throw new Error('Initialization failed');
    prime = call('dhPrime', sizeOrKey, generator || 2);
  } else {
    prime = typeof sizeOrKey === 'string' ? Buffer.from(sizeOrKey, keyEncoding === 'buffer' ? 'utf8' : keyEncoding) : copy(sizeOrKey);
  }
  open(this, prime, base, call('dhCheck', prime, base));
}

function DiffieHellmanGroup(name) {
  if (!(this instanceof DiffieHellmanGroup)) return new DiffieHellmanGroup(name);
  if (typeof name !== 'string') throw invalidArgType('name', 'of type string', name);
  const { prime } = groupOf(name);
  open(this, prime, Buffer.from([2]), 0);
}

function shown(own, what, encoding) {
  const bytes = own[what];
  const words = what === 'publicKey' ? 'public' : 'private';
  if (bytes === undefined) throw state(`No ${words} key - did you forget to generate one?`);
  return given(copy(bytes), encoding);
}

const numbers = {
  generateKeys(encoding) {
    const own = stateOf(this);
    const { 0: publicKey, 1: privateKey } = call('dhKeys', own.prime, own.generator, own.privateKey);
    own.publicKey = Buffer.from(publicKey);
    own.privateKey = Buffer.from(privateKey);
    return given(copy(own.publicKey), encoding);
  },

  computeSecret(key, inEnc, outEnc) {
    const own = stateOf(this);
    const other = bytesArg(key, 'key', inEnc);
    return given(call('dhSecret', own.prime, own.generator, own.privateKey, other), outEnc);
  },

  getPrime(encoding) {
    return given(copy(stateOf(this).prime), encoding);
  },

  getGenerator(encoding) {
    const { generator } = stateOf(this);
    let from = 0;
    while (from < generator.length - 1 && generator[from] === 0) from++;
    return given(copy(generator.subarray(from)), encoding);
  },

  getPublicKey(encoding) {
    return shown(stateOf(this), 'publicKey', encoding);
  },

  getPrivateKey(encoding) {
    return shown(stateOf(this), 'privateKey', encoding);
  },
};

Object.assign(DiffieHellman.prototype, numbers, {
  setPublicKey(key, encoding) {
    stateOf(this).publicKey = copy(bytesArg(key, 'key', encoding));
    return this;
  },

  setPrivateKey(key, encoding) {
    stateOf(this).privateKey = copy(bytesArg(key, 'key', encoding));
    return this;
  },
});
Object.assign(DiffieHellmanGroup.prototype, numbers);

// --- curves --------------------------------------------------------------------------------------------

const FORMS = { __proto__: null, compressed: 2, uncompressed: 4, hybrid: 6 };

function formOf(format) {
  if (!format) return FORMS.uncompressed;
  if (FORMS[format] === undefined) throw coded(TypeError, 'ERR_CRYPTO_ECDH_INVALID_FORMAT', `Invalid ECDH format: ${format}`);
  return FORMS[format];
}

const noCurve = () => thrownByC(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
const operationFailed = (message) => thrownByC(Error, 'ERR_CRYPTO_OPERATION_FAILED', message);

function ECDH(curve) {
  if (!(this instanceof ECDH)) return new ECDH(curve);
  validateString(curve, 'curve');
  if (!call('ecdhIsCurve', curve)) throw noCurve();
  stateSet(this, { curve, publicKey: undefined, privateKey: undefined });
}

Object.assign(ECDH.prototype, {
  computeSecret(key, inEnc, outEnc) {
    const { curve, privateKey, publicKey } = stateOf(this);
    const other = bytesArg(key, 'key', inEnc);
    return given(call('ecdhSecret', curve, privateKey, publicKey, other), outEnc);
  },

  setPrivateKey(key, encoding) {
    const own = stateOf(this);
    const bytes = copy(bytesArg(key, 'key', encoding));
    const publicKey = call('ecdhPublic', own.curve, bytes);
    own.privateKey = withoutZeros(bytes);
    own.publicKey = publicKey;
    return this;
  },

  setPublicKey(key, encoding) {
    const own = stateOf(this);
    own.publicKey = call('ecdhPoint', own.curve, bytesArg(key, 'key', encoding), FORMS.uncompressed);
    return this;
  },

  getPrivateKey(encoding) {
    const { privateKey } = stateOf(this);
    if (privateKey === undefined) throw operationFailed('Failed to get ECDH private key');
    return given(copy(privateKey), encoding);
  },

  generateKeys(encoding, format) {
    const own = stateOf(this);
    const { 0: privateKey, 1: publicKey } = call('ecdhKeys', own.curve);
    own.privateKey = Buffer.from(privateKey);
    own.publicKey = Buffer.from(publicKey);
    return this.getPublicKey(encoding, format);
  },

  getPublicKey(encoding, format) {
    const { curve, publicKey } = stateOf(this);
    const form = formOf(format);
    if (publicKey === undefined) throw operationFailed('Failed to get ECDH public key');
    return given(call('ecdhPoint', curve, publicKey, form), encoding);
  },
});

function withoutZeros(bytes) {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  return bytes.subarray(from);
}

ECDH.convertKey = function convertKey(key, curve, inEnc, outEnc, format) {
  validateString(curve, 'curve');
  const bytes = bytesArg(key, 'key', inEnc);
  const form = formOf(format);
  if (!call('ecdhIsCurve', curve)) throw noCurve();
  return given(call('ecdhPoint', curve, bytes, form), outEnc);
};

// --- key objects ---------------------------------------------------------------------------------------

const AGREEING = { __proto__: null, dh: true, ec: true, x25519: true, x448: true };

function keyOption(options, name) {
  const key = options[name];
  if (!isKeyObject(key)) throw invalidArgValue(`options.${name}`, key);
  return key;
}

function diffieHellman(options) {
  validateObject(options, 'options');
  const privateKey = keyOption(options, 'privateKey');
  const publicKey = keyOption(options, 'publicKey');
  if (privateKey.type !== 'private') throw invalidKeyType(privateKey.type, 'private');
  if (publicKey.type !== 'public' && publicKey.type !== 'private') throw invalidKeyType(publicKey.type, 'private or public');
  const { asymmetricKeyType: kind } = privateKey;
  const { asymmetricKeyType: other } = publicKey;
  if (kind !== other || !AGREEING[kind])
    throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY', `Incompatible key types for Diffie-Hellman: ${kind} and ${other}`);
  return call('agree', tokenOf(privateKey), tokenOf(publicKey));
}

module.exports = { DiffieHellman, DiffieHellmanGroup, ECDH, diffieHellman, groupOf };
