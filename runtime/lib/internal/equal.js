'use strict';
// Deep equality as assert and util.isDeepStrictEqual mean it.

const kinds = require('internal/kinds');

const typedTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const enumerableKeys = (value) => [...Object.keys(value), ...Object.getOwnPropertySymbols(value)
  .filter((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol))];

function deepEqual(left, right, strict) {
  const seen = new Map(); // left → right, for cycles

  function loose(a, b) {
    // eslint-disable-next-line eqeqeq
    return a == b || a !== a && b !== b;
  }

  function same(a, b) {
    if (strict ? Object.is(a, b) : a === b) return true;
    const objects = a !== null && b !== null && typeof a === 'object' && typeof b === 'object';
    if (!objects) {
      if (strict) return false;
      if (a !== null && typeof a === 'object' || b !== null && typeof b === 'object') return false;
      return loose(a, b);
    }
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
    if (seen.has(a)) return seen.get(a) === b;
    seen.set(a, b);
    const result = sameKind(a, b);
    seen.delete(a);
    return result;
  }

  function sameKind(a, b) {
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    if (Array.isArray(a)) return a.length === b.length && sameKeys(a, b);
    if (kinds.isDate(a)) return kinds.isDate(b) && Object.is(a.getTime(), b.getTime()) && sameKeys(a, b);
    if (kinds.isRegExp(a))
      return kinds.isRegExp(b) && ['source', 'flags', 'lastIndex'].every((fact) => a[fact] === b[fact]) && sameKeys(a, b);
    if (kinds.isNativeError(a))
      return kinds.isNativeError(b) && a.message === b.message && a.name === b.name && same(a.cause, b.cause) &&
        same(a.errors, b.errors) && sameKeys(a, b);
    if (ArrayBuffer.isView(a)) return sameBytes(a, b);
    if (kinds.isAnyArrayBuffer(a)) return sameBytes(new Uint8Array(a), new Uint8Array(b));
    if (kinds.isSet(a)) return kinds.isSet(b) && a.size === b.size && sameSets(a, b) && sameKeys(a, b);
    if (kinds.isMap(a)) return kinds.isMap(b) && a.size === b.size && sameMaps(a, b) && sameKeys(a, b);
    if (kinds.isBoxedPrimitive(a))
      return kinds.isBoxedPrimitive(b) && Object.is(a.valueOf(), b.valueOf()) && sameKeys(a, b);
    if (kinds.isWeakMap(a) || kinds.isWeakSet(a) || kinds.isPromise(a)) return false;
    return sameKeys(a, b);
  }

  function sameBytes(a, b) {
    if (!ArrayBuffer.isView(b) || a.byteLength !== b.byteLength) return false;
    if (!strict && /^Float/.test(typedTag.call(a) ?? '')) return a.every((value, index) => value === b[index]);
    const [x, y] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return x.every((byte, index) => byte === y[index]);
  }

  function sameSets(a, b) {
    const rest = new Set(b);
    for (const item of a) {
      if (rest.delete(item)) continue;
      const found = [...rest].find((other) => typeof item === 'object' || !strict ? same(item, other) : false);
      if (found === undefined && !rest.has(undefined)) return false;
      rest.delete(found);
    }
    return true;
  }

  function sameMaps(a, b) {
    const rest = new Map(b);
    for (const [key, value] of a) {
      if (rest.has(key)) {
        if (!same(value, rest.get(key))) return false;
        rest.delete(key);
        continue;
      }
      const found = [...rest.keys()].find((other) => same(key, other) && same(value, rest.get(other)));
      if (found === undefined) return false;
      rest.delete(found);
    }
    return true;
  }

  function sameKeys(a, b) {
    const keys = strict ? enumerableKeys(a) : Object.keys(a);
    const others = strict ? enumerableKeys(b) : Object.keys(b);
    if (keys.length !== others.length) return false;
    return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && same(a[key], b[key]));
  }

  return same(left, right);
}

module.exports = { deepEqual };
