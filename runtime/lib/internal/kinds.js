'use strict';
// The kind of a value, whatever its prototype or its class says: tested by calling a method that
// works only on genuine objects.

const {
  ArrayBufferIsView, MapIteratorPrototype, SetIteratorPrototype, arraybufferGetByteLength, bigintValueOf, booleanValueOf,
  dataviewGetByteLength, dateGetTime, mapGetSize, numberValueOf, objectIsPrototypeOf, objectToString, over, regexpGetFlags,
  setGetSize, stringIncludes, stringStartsWith, stringValueOf, symbolValueOf, typedarrayGetTag, weakmapHas, weakrefDeref, weaksetHas,
} = intrinsics;
const util = native('util');

// call: a method that throws unless the value is genuine
const works = (call) => (value) => {
  if (!isObject(value)) return false;
  try {
    call(value);
    return true;
  } catch {
    return false;
  }
};
const isObject = (value) => typeof value === 'object' && value !== null;
const tagOf = (value) => objectToString.call(value);
const functionTag = (value) => {
  const tag = Object.getPrototypeOf(value)?.[Symbol.toStringTag];
  return typeof tag === 'string' ? tag : '';
};
const inherits = (prototype) => (value) => isObject(value) && objectIsPrototypeOf.call(prototype, value);

const hasFlags = works((value) => regexpGetFlags.call(value));

const kinds = {
  isMap: works((value) => mapGetSize.call(value)),
  isSet: works((value) => setGetSize.call(value)),
  isWeakMap: works((value) => weakmapHas.call(value, {})),
  isWeakSet: works((value) => weaksetHas.call(value, {})),
  isWeakRef: works((value) => weakrefDeref.call(value)),
  isDate: works((value) => dateGetTime.call(value)),
  isRegExp: (value) => isObject(value) && tagOf(value) === '[object RegExp]' ||
    isObject(value) && value !== RegExp.prototype && hasFlags(value) &&
    value instanceof RegExp,
  isPromise: (value) => isObject(value) && value instanceof Promise && util.promiseState(value) !== undefined,
  isNativeError: (value) => value instanceof Error || isObject(value) && tagOf(value) === '[object Error]',
  isArrayBuffer: works((value) => arraybufferGetByteLength.call(value)),
  isSharedArrayBuffer: (value) => typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer,
  isDataView: works((value) => dataviewGetByteLength.call(value)),
  isArrayBufferView: (value) => ArrayBufferIsView(value),
  isTypedArray: (value) => ArrayBufferIsView(value) && typedarrayGetTag.call(value) !== undefined,
  isMapIterator: inherits(MapIteratorPrototype),
  isSetIterator: inherits(SetIteratorPrototype),
  isGeneratorObject: (value) => isObject(value) && tagOf(value) === '[object Generator]',
  isGeneratorFunction: (value) => typeof value === 'function' && stringIncludes.call(functionTag(value), 'GeneratorFunction'),
  isAsyncFunction: (value) => typeof value === 'function' && stringStartsWith.call(functionTag(value), 'Async'),
  isArgumentsObject: (value) => isObject(value) && !(Symbol.toStringTag in value) && tagOf(value) === '[object Arguments]',
  isModuleNamespaceObject: (value) => isObject(value) && tagOf(value) === '[object Module]',
  isNumberObject: works((value) => numberValueOf.call(value)),
  isStringObject: works((value) => stringValueOf.call(value)),
  isBooleanObject: works((value) => booleanValueOf.call(value)),
  isBigIntObject: works((value) => bigintValueOf.call(value)),
  isSymbolObject: works((value) => symbolValueOf.call(value)),
  isProxy: (value) => (isObject(value) || typeof value === 'function') && util.proxyTarget(value) !== undefined,
  isExternal: () => false,
  isCryptoKey: (value) => require('internal/tools').isCryptoKey?.(value) ?? false,
  isKeyObject: (value) => require('internal/tools').isKeyObject?.(value) ?? false,
};
kinds.isAnyArrayBuffer = (value) => kinds.isArrayBuffer(value) || kinds.isSharedArrayBuffer(value);
kinds.isBoxedPrimitive = (value) => kinds.isNumberObject(value) || kinds.isStringObject(value) ||
  kinds.isBooleanObject(value) || kinds.isBigIntObject(value) || kinds.isSymbolObject(value);
for (const name of over(['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array',
  'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']))
  kinds[`is${name}`] = (value) => ArrayBufferIsView(value) && typedarrayGetTag.call(value) === name;

module.exports = kinds;
