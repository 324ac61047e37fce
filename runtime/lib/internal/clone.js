'use strict';
// structuredClone and DOMException.

const {
  ArrayBufferIsView, ArrayIsArray, GenuineMap, GenuineObject, GenuineSet, arrayMap, arraySome, arraybufferSlice,
  dateGetTime, mapItems, mapSet, objectIsPrototypeOf, objectToString, over, regexpReplace, setAdd, setItems,
  stringSlice, stringToUpperCase, typedarrayGetTag,
} = intrinsics;
const kinds = require('internal/kinds');
const { coded } = require('internal/errors');

const codes = {
  IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12,
  InvalidAccessError: 15, TypeMismatchError: 17, NetworkError: 19, AbortError: 20, URLMismatchError: 21,
  QuotaExceededError: 22, TimeoutError: 23, DataCloneError: 25, InvalidCharacterError: 5,
};

class DOMException extends Error {
  #name;

  constructor(message = '', options = 'Error') {
    super(`${message}`);
    if (options !== null && typeof options === 'object') {
      this.#name = `${options.name ?? 'Error'}`;
      if ('cause' in options) Object.defineProperty(this, 'cause', { __proto__: null, value: options.cause, configurable: true, writable: true });
    } else {
      this.#name = `${options}`;
    }
  }

  get name() { return this.#name; }
  get code() { return codes[this.#name] ?? 0; }
}
for (const { 0: name, 1: code } of over(Object.entries(codes))) {
  const constant = { __proto__: null, value: code, enumerable: true };
  const key = name === 'URLMismatchError' ? 'URL_MISMATCH_ERR' : `${stringToUpperCase.call(regexpReplace(/(?!^)[A-Z]/g, stringSlice.call(name, 0, -5), '_$&'))}_ERR`;
  Object.defineProperty(DOMException, key, constant);
  Object.defineProperty(DOMException.prototype, key, constant);
}
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { __proto__: null, value: 'DOMException', configurable: true });

const dataError = (message) => new DOMException(message, 'DataCloneError');

function refuse(value) {
  let text;
  if (typeof value === 'symbol' || typeof value === 'function') text = String(value);
  else if (ArrayIsArray(value) || kinds.isGeneratorObject(value) || kinds.isSymbolObject(value))
    text = objectToString.call(value);
  else text = `#<${objectIsPrototypeOf.call(ITERATOR, value) ? 'Object' : value.constructor?.name ?? 'Object'}>`;
  return dataError(`${text} could not be cloned.`);
}

const ITERATOR = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const unfit = arrayMap.call(['isSymbolObject', 'isPromise', 'isWeakMap', 'isWeakSet', 'isWeakRef', 'isProxy', 'isArgumentsObject',
  'isGeneratorObject'], (name) => kinds[name]);
const isUnfit = (value) => arraySome.call(unfit, (test) => test(value)) || objectIsPrototypeOf.call(ITERATOR, value);

const VIEWS = {
  BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int16Array, Int32Array, Int8Array, Uint16Array, Uint32Array, Uint8Array,
  Uint8ClampedArray,
};
const errorClasses = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function copyError(value, copy) {
  const made = new (errorClasses[value.name] ?? Error)(value.message);
  if (typeof value.stack === 'string')
    Object.defineProperty(made, 'stack', { __proto__: null, value: value.stack, writable: true, configurable: true });
  if (Object.hasOwn(value, 'cause'))
    Object.defineProperty(made, 'cause', { __proto__: null, value: copy(value.cause), writable: true, configurable: true });
  return made;
}


// The buffers that are moved instead of copied.
function readTransfer(options) {
  if (options !== null && options !== undefined && typeof options !== 'object' && typeof options !== 'function')
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The options argument must be either an object or undefined');
  const given = options?.transfer ?? [];
  const list = typeof given === 'object' && given[Symbol.iterator] === undefined ? [] : given; // as in Node
  if (typeof list !== 'object' || typeof list[Symbol.iterator] !== 'function')
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
  const moved = new Set();
  for (const item of over(list)) {
    if (!kinds.isArrayBuffer(item))
      throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT', 'Found invalid object in transferList');
    if (moved.has(item)) throw dataError('Transfer list contains duplicate ArrayBuffer');
    moved.add(item);
  }
  return moved;
}

function copyBuffer(buffer, isMoved) {
  if (isMoved) return buffer.detached ? new ArrayBuffer(0) : buffer.transfer();
  if (buffer.detached) throw dataError('An ArrayBuffer is detached and could not be cloned.');
  if (!buffer.resizable) return arraybufferSlice.call(buffer, 0);
  const { byteLength, maxByteLength } = buffer;
  const made = new ArrayBuffer(byteLength, { maxByteLength });
  new Uint8Array(made).set(new Uint8Array(buffer));
  return made;
}

function structuredClone(...args) {
  if (args.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
  const { 0: value, 1: options } = args;
  const seen = new Map();
  const moved = readTransfer(options);

  function copy(item) {
    if (typeof item === 'symbol' || typeof item === 'function') throw refuse(item);
    if (item === null || typeof item !== 'object') return item;
    if (seen.has(item)) return seen.get(item);
    if (item === process.env) return { ...item };
    const keep = (result) => {
      seen.set(item, result);
      return result;
    };
    if (isUnfit(item)) throw refuse(item);
    if (kinds.isBoxedPrimitive(item)) return keep(GenuineObject(item.valueOf()));
    if (kinds.isDate(item)) return keep(new Date(dateGetTime.call(item)));
    if (kinds.isRegExp(item)) return keep(new RegExp(item.source, item.flags));
    if (kinds.isSharedArrayBuffer(item)) return keep(item);
    if (kinds.isKeyObject(item)) return keep(require('internal/crypto/key_object').cloneKey(item));
    if (kinds.isCryptoKey(item)) return keep(require('internal/crypto/crypto_key').cloneKey(item));
    if (kinds.isArrayBuffer(item)) return keep(copyBuffer(item, moved.has(item)));
    if (ArrayBufferIsView(item)) {
      const { byteOffset } = item; // read before its buffer is detached
      const length = kinds.isDataView(item) ? item.byteLength : item.length;
      const Class = kinds.isDataView(item) ? DataView : VIEWS[typedarrayGetTag.call(item)];
      return keep(new Class(copy(item.buffer), byteOffset, length));
    }
    if (kinds.isMap(item)) {
      const result = keep(new GenuineMap());
      for (const { 0: key, 1: each } of over([...mapItems(item)])) mapSet.call(result, copy(key), copy(each));
      return result;
    }
    if (kinds.isSet(item)) {
      const result = keep(new GenuineSet());
      for (const each of over([...setItems(item)])) setAdd.call(result, copy(each));
      return result;
    }
    if (typeof item.arrayBuffer === 'function' && require('internal/blob').isBlob(item))
      return keep(require('internal/blob').copyOf(item));
    if (kinds.isNativeError(item)) return keep(copyError(item, copy));
    const result = keep(ArrayIsArray(item) ? new Array(item.length) : {});
    for (const key of over(Object.keys(item))) result[key] = copy(item[key]);
    return result;
  }

  const result = copy(value);
  for (const buffer of over(moved)) if (!seen.has(buffer)) copy(buffer);
  return result;
}

module.exports = { DOMException, structuredClone };
