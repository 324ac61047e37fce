'use strict';
// Deep equality for assert and util.isDeepStrictEqual.

const {
  ArrayBufferIsView, ArrayIsArray, arrayEvery, arrayFilter, arrayFind, arrayMap, bigintValueOf, booleanValueOf, dateGetTime,
  mapGetSize, mapItems, numberValueOf, objectPropertyIsEnumerable, objectToString, over, regexpTest, setGetSize, setItems,
  stringValueOf, symbolValueOf, typedarrayGetTag,
} = intrinsics;
const kinds = require('internal/kinds');

const SMALL = 4096; // bytes of a view
const enumerableSymbols = (value) => arrayFilter.call(Object.getOwnPropertySymbols(value), (symbol) => objectPropertyIsEnumerable.call(value, symbol));
const enumerableKeys = (value) => [...over(Object.keys(value)), ...over(enumerableSymbols(value))];

// Objects around a primitive: how to recognise one, and how to get its value, whatever its
// prototype.
const BOXES = [
  [kinds.isNumberObject, (box) => numberValueOf.call(box)],
  [kinds.isStringObject, (box) => stringValueOf.call(box)],
  [kinds.isBooleanObject, (box) => booleanValueOf.call(box)],
  [kinds.isBigIntObject, (box) => bigintValueOf.call(box)],
  [kinds.isSymbolObject, (box) => symbolValueOf.call(box)],
];

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
    if (objectToString.call(a) !== objectToString.call(b)) return false;
    if (seen.has(a)) return seen.get(a) === b;
    seen.set(a, b);
    const result = sameKind(a, b);
    seen.delete(a);
    return result;
  }

  function sameKind(a, b) {
    if (ArrayIsArray(a) !== ArrayIsArray(b)) return false;
    if (ArrayIsArray(a)) return a.length === b.length && sameKeys(a, b);
    if (kinds.isDate(a)) return kinds.isDate(b) && Object.is(dateGetTime.call(a), dateGetTime.call(b)) && sameKeys(a, b);
    if (kinds.isRegExp(a))
      return kinds.isRegExp(b) && arrayEvery.call(['source', 'flags', 'lastIndex'], (fact) => a[fact] === b[fact]) && sameKeys(a, b);
    if (kinds.isNativeError(a))
      return kinds.isNativeError(b) && a.message === b.message && a.name === b.name && same(a.cause, b.cause) &&
        same(a.errors, b.errors) && sameKeys(a, b);
    if (ArrayBufferIsView(a)) return sameBytes(a, b) && sameExtras(a, b);
    if (kinds.isAnyArrayBuffer(a)) return sameBytes(new Uint8Array(a), new Uint8Array(b));
    if (kinds.isSet(a)) return kinds.isSet(b) && setGetSize.call(a) === setGetSize.call(b) && sameSets(a, b) && sameKeys(a, b);
    if (kinds.isMap(a)) return kinds.isMap(b) && mapGetSize.call(a) === mapGetSize.call(b) && sameMaps(a, b) && sameKeys(a, b);
    for (let i = 0; i < BOXES.length; i++) {
      const { 0: isBox, 1: valueOf } = BOXES[i];
      if (isBox(a) !== isBox(b)) return false;
      if (isBox(a)) return Object.is(valueOf(a), valueOf(b)) && sameKeys(a, b);
    }
    if (kinds.isWeakMap(a) || kinds.isWeakSet(a) || kinds.isPromise(a)) return false;
    return sameKeys(a, b);
  }

  function sameBytes(a, b) {
    if (!ArrayBufferIsView(b) || a.byteLength !== b.byteLength) return false;
    if (!strict && regexpTest(/^Float/, typedarrayGetTag.call(a) ?? '')) return arrayEvery.call(a, (value, index) => value === b[index]);
    const { 0: x, 1: y } = arrayMap.call([a, b], (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return arrayEvery.call(x, (byte, index) => byte === y[index]);
  }

  function sameSets(a, b) {
    const rest = new Set(setItems(b));
    for (const item of setItems(a)) {
      if (rest.delete(item)) continue;
      const found = arrayFind.call([...over(rest)], (other) => typeof item === 'object' || !strict ? same(item, other) : false);
      if (found === undefined && !rest.has(undefined)) return false;
      rest.delete(found);
    }
    return true;
  }

  function sameMaps(a, b) {
    const rest = new Map(mapItems(b));
    for (const { 0: key, 1: value } of mapItems(a)) {
      if (rest.has(key)) {
        if (!same(value, rest.get(key))) return false;
        rest.delete(key);
        continue;
      }
      const found = arrayFind.call([...over(rest.keys())], (other) => same(key, other) && same(value, rest.get(other)));
      if (found === undefined) return false;
      rest.delete(found);
    }
    return true;
  }

  // Properties beside the elements: all of a small view; only symbols of a large one, whose indices
  // would take long to list.
  function sameExtras(a, b) {
    if (a.byteLength <= SMALL) return sameKeys(a, b);
    return !strict || sameListed(a, b, enumerableSymbols(a), enumerableSymbols(b));
  }

  function sameKeys(a, b) {
    return strict ? sameListed(a, b, enumerableKeys(a), enumerableKeys(b)) : sameListed(a, b, Object.keys(a), Object.keys(b));
  }

  function sameListed(a, b, keys, others) {
    if (keys.length !== others.length) return false;
    return arrayEvery.call(keys, (key) => objectPropertyIsEnumerable.call(b, key) && same(a[key], b[key]));
  }

  return same(left, right);
}

module.exports = { deepEqual };
