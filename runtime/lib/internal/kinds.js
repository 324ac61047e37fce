'use strict';
// What a value is, whatever its prototype or its class says: brands are tested by calling
// a method that only works on the real thing.

const util = native('util');

function works(method, ...args) {
  return (value) => {
    try {
      method.call(value, ...args);
      return true;
    } catch {
      return false;
    }
  };
}
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
const isObject = (value) => typeof value === 'object' && value !== null;
const both = (test) => (value) => isObject(value) && test(value);

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const typedArrayTag = getter(TypedArray, Symbol.toStringTag);
const tagOf = (value) => Object.prototype.toString.call(value);
const functionTag = (value) => {
  const tag = Object.getPrototypeOf(value)?.[Symbol.toStringTag];
  return typeof tag === 'string' ? tag : '';
};
const iteratorOf = (sample) => Object.getPrototypeOf(sample);
const mapIterator = iteratorOf(new Map().entries());
const setIterator = iteratorOf(new Set().values());
const inherits = (prototype) => (value) => isObject(value) && prototype.isPrototypeOf(value);

const kinds = {
  isMap: both(works(getter(Map.prototype, 'size'))),
  isSet: both(works(getter(Set.prototype, 'size'))),
  isWeakMap: both(works(WeakMap.prototype.has, {})),
  isWeakSet: both(works(WeakSet.prototype.has, {})),
  isWeakRef: both(works(WeakRef.prototype.deref)),
  isDate: both(works(Date.prototype.getTime)),
  isRegExp: (value) => isObject(value) && tagOf(value) === '[object RegExp]' ||
    isObject(value) && value !== RegExp.prototype && works(getter(RegExp.prototype, 'flags'))(value) &&
    value instanceof RegExp,
  isPromise: (value) => isObject(value) && value instanceof Promise && util.promiseState(value) !== undefined,
  isNativeError: (value) => value instanceof Error || isObject(value) && tagOf(value) === '[object Error]',
  isArrayBuffer: both(works(getter(ArrayBuffer.prototype, 'byteLength'))),
  isSharedArrayBuffer: (value) => typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer,
  isDataView: both(works(getter(DataView.prototype, 'byteLength'))),
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isTypedArray: (value) => ArrayBuffer.isView(value) && typedArrayTag.call(value) !== undefined,
  isMapIterator: inherits(mapIterator),
  isSetIterator: inherits(setIterator),
  isGeneratorObject: (value) => isObject(value) && tagOf(value) === '[object Generator]',
  isGeneratorFunction: (value) => typeof value === 'function' && functionTag(value).includes('GeneratorFunction'),
  isAsyncFunction: (value) => typeof value === 'function' && functionTag(value).startsWith('Async'),
  isArgumentsObject: (value) => isObject(value) && !(Symbol.toStringTag in value) && tagOf(value) === '[object Arguments]',
  isModuleNamespaceObject: (value) => isObject(value) && tagOf(value) === '[object Module]',
  isNumberObject: both(works(Number.prototype.valueOf)),
  isStringObject: both(works(String.prototype.valueOf)),
  isBooleanObject: both(works(Boolean.prototype.valueOf)),
  isBigIntObject: both(works(BigInt.prototype.valueOf)),
  isSymbolObject: both(works(Symbol.prototype.valueOf)),
  isProxy: (value) => (isObject(value) || typeof value === 'function') && util.proxyTarget(value) !== undefined,
  isExternal: () => false,
  isCryptoKey: () => false,
  isKeyObject: () => false,
};
kinds.isAnyArrayBuffer = (value) => kinds.isArrayBuffer(value) || kinds.isSharedArrayBuffer(value);
kinds.isBoxedPrimitive = (value) => kinds.isNumberObject(value) || kinds.isStringObject(value) ||
  kinds.isBooleanObject(value) || kinds.isBigIntObject(value) || kinds.isSymbolObject(value);
for (const name of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array',
  'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'])
  kinds[`is${name}`] = (value) => ArrayBuffer.isView(value) && typedArrayTag.call(value) === name;

module.exports = kinds;
