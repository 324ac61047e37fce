'use strict';
// CryptoKey, the key of webcrypto: a key object, what may be done with it, and for which algorithm.

const { SymbolFor, over } = intrinsics;
const tools = require('internal/tools');
const { coded } = require('internal/errors');

const OWN = Symbol('own');
let partsOf;

class CryptoKey {
  #parts;

  constructor(own, parts) {
    if (own !== OWN) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#parts = parts;
  }

  static {
    partsOf = (value) => typeof value === 'object' && value !== null && #parts in value ? value.#parts : undefined;
  }

  get type() {
    return checked(this).keyObject.type;
  }

  get extractable() {
    return checked(this).extractable;
  }

  get algorithm() {
    return checked(this).algorithm;
  }

  get usages() {
    return checked(this).usages;
  }

  [SymbolFor('nodejs.util.inspect.custom')](depth, options) {
    const { keyObject, extractable, algorithm, usages } = checked(this);
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    const text = require('internal/inspect').inspect({ type: keyObject.type, extractable, algorithm, usages }, inner);
    return `CryptoKey ${text}`;
  }
}
for (const name of over(['type', 'extractable', 'algorithm', 'usages'])) Object.defineProperty(CryptoKey.prototype, name, { __proto__: null, enumerable: true });
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { __proto__: null, value: 'CryptoKey', configurable: true });

function checked(value) {
  const parts = partsOf(value);
  if (parts === undefined) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type CryptoKey');
  return parts;
}

const makeKey = (keyObject, algorithm, usages, extractable) => new CryptoKey(OWN, { keyObject, algorithm, usages, extractable });
const cloneKey = (key) => new CryptoKey(OWN, checked(key));
const isCryptoKey = (value) => partsOf(value) !== undefined;
const keyObjectOf = (value) => partsOf(value)?.keyObject;
tools.isCryptoKey = isCryptoKey;

module.exports = { CryptoKey, cloneKey, isCryptoKey, keyObjectOf, makeKey, partsOf };
