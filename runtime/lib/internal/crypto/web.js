'use strict';
// The global crypto: random values, and `subtle` (web_subtle), which is loaded when it is asked for.

const { ArrayBufferIsView, over, stringStartsWith, typedarrayGetTag } = intrinsics;
const { coded } = require('internal/errors');
const { randomFillSync, randomUUID } = require('internal/crypto/random');

const MOST = 65536;
let isCrypto;

const domError = (message, name) => new (require('internal/clone').DOMException)(message, name);

function getRandomValues(array) {
  const kind = ArrayBufferIsView(array) ? typedarrayGetTag.call(array) : undefined;
  if (kind === undefined || stringStartsWith.call(kind, 'Float'))
    throw domError('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
  if (array.byteLength > MOST) throw domError('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
  return randomFillSync(array);
}

class Crypto {
  #own;
  constructor(own) {
    if (own !== OWN) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#own = own;
  }

  static {
    isCrypto = (value) => typeof value === 'object' && value !== null && #own in value;
  }

  get subtle() {
    check(this);
    return require('internal/crypto/web_subtle').subtle;
  }

  getRandomValues(array) {
    check(this);
    return getRandomValues(array);
  }

  randomUUID(options) {
    check(this);
    return randomUUID(options);
  }
}

const OWN = Symbol('own');

function check(value) {
  if (!isCrypto(value)) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type Crypto');
}

for (const name of over(['subtle', 'getRandomValues', 'randomUUID'])) Object.defineProperty(Crypto.prototype, name, { __proto__: null, enumerable: true });
Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { __proto__: null, value: 'Crypto', configurable: true });

module.exports = { Crypto, getRandomValues, webcrypto: new Crypto(OWN) };
