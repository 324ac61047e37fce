'use strict';
// structuredClone and DOMException.

const kinds = require('internal/kinds');

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
      if ('cause' in options) Object.defineProperty(this, 'cause', { value: options.cause, configurable: true, writable: true });
    } else {
      this.#name = `${options}`;
    }
  }

  get name() { return this.#name; }
  get code() { return codes[this.#name] ?? 0; }
}
for (const [name, code] of Object.entries(codes)) {
  const constant = { value: code, enumerable: true };
  const key = name === 'URLMismatchError' ? 'URL_MISMATCH_ERR' : `${name.slice(0, -5).replace(/(?!^)[A-Z]/g, '_$&').toUpperCase()}_ERR`;
  Object.defineProperty(DOMException, key, constant);
  Object.defineProperty(DOMException.prototype, key, constant);
}
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: 'DOMException', configurable: true });

function refuse(value) {
  const text = typeof value === 'symbol' ? String(value) : typeof value === 'function' ? `${value}` : '#<' +
    (value.constructor?.name ?? 'Object') + '>';
  return new DOMException(`${text} could not be cloned.`, 'DataCloneError');
}

const errorClasses = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function copyError(value, copy) {
  const made = new (errorClasses[value.name] ?? Error)(value.message);
  if (typeof value.stack === 'string')
    Object.defineProperty(made, 'stack', { value: value.stack, writable: true, configurable: true });
  if (Object.hasOwn(value, 'cause'))
    Object.defineProperty(made, 'cause', { value: copy(value.cause), writable: true, configurable: true });
  return made;
}

const typedArrayName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

function structuredClone(value, options) {
  if (arguments.length === 0)
    throw require('internal/errors').coded(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
  const seen = new Map();
  const moved = new Set(options?.transfer ?? []);

  function copy(item) {
    if (typeof item === 'symbol' || typeof item === 'function') throw refuse(item);
    if (item === null || typeof item !== 'object') return item;
    if (seen.has(item)) return seen.get(item);
    const keep = (result) => {
      seen.set(item, result);
      return result;
    };
    if (kinds.isBoxedPrimitive(item)) {
      if (kinds.isSymbolObject(item)) throw refuse(item);
      return keep(Object(item.valueOf()));
    }
    if (kinds.isDate(item)) return keep(new Date(item.getTime()));
    if (kinds.isRegExp(item)) return keep(new RegExp(item.source, item.flags));
    if (kinds.isArrayBuffer(item)) return keep(moved.has(item) && item.transfer ? item.transfer() : item.slice(0));
    if (ArrayBuffer.isView(item)) {
      const buffer = copy(item.buffer);
      const Class = kinds.isDataView(item) ? DataView : globalThis[typedArrayName.call(item)];
      return keep(new Class(buffer, item.byteOffset, kinds.isDataView(item) ? item.byteLength : item.length));
    }
    if (kinds.isMap(item)) {
      const result = keep(new Map());
      for (const [key, each] of [...item]) result.set(copy(key), copy(each));
      return result;
    }
    if (kinds.isSet(item)) {
      const result = keep(new Set());
      for (const each of [...item]) result.add(copy(each));
      return result;
    }
    if (typeof item.arrayBuffer === 'function' && require('internal/blob').isBlob(item))
      return keep(require('internal/blob').copyOf(item));
    if (kinds.isNativeError(item)) return keep(copyError(item, copy));
    if (kinds.isPromise(item) || kinds.isWeakMap(item) || kinds.isWeakSet(item) || kinds.isWeakRef(item) ||
        kinds.isProxy(item)) throw refuse(item);
    const result = keep(Array.isArray(item) ? new Array(item.length) : {});
    for (const key of Object.keys(item)) result[key] = copy(item[key]);
    return result;
  }

  return copy(value);
}

module.exports = { DOMException, structuredClone };
