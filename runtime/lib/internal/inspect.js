'use strict';
// util.inspect and util.format: the text that Node 20 prints for a value.
//
// A value becomes a "shape": { base, open, close, items, keys, array }, where items are
// what the kind itself shows (array elements, map entries …) and keys the properties that
// follow. layout() then puts the entries on one line, in columns or on lines of their own
// (internal/inspect_layout); what single values look like is in internal/inspect_text.

const {
  ArrayFrom, ArrayIsArray, NumberIsNaN, SymbolFor, arrayFilter, arrayFind, arrayIncludes, arrayIndexOf, arrayJoin,
  arrayMap, arrayPop, arrayPush, arraySlice, arraySort, arraySplice, bigintValueOf, booleanValueOf, dateGetTime,
  dateToISOString, dateToString, functionToString, mapGetSize, mapItems, numberToString, numberValueOf,
  objectPropertyIsEnumerable, over, regexpTest, regexpToString, setGetSize, setItems, stringPadStart, stringRepeat,
  stringReplaceAll, stringSlice, stringToLowerCase, stringValueOf, symbolToString, symbolValueOf,
  typedarrayGetLength, typedarrayGetTag,
} = intrinsics;
const tools = require('internal/tools');
const util = native('util');
const kinds = require('internal/kinds');
const { layout } = require('internal/inspect_layout');
const text = require('internal/inspect_text');
const { constructorName, errorBase, functionBase, prefix, tagOf } = require('internal/inspect_names');

const { bigintText, colored, columnsOf, escaped, numberText, primitive, quote, withoutColors } = text;

const custom = SymbolFor('nodejs.util.inspect.custom');
const defaults = {
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};
const MOST_TEXT = 2 ** 27;
const hasOwn = Object.hasOwn;

// --- shapes -----------------------------------------------------------------------------------------

function boxedBase(ctx, value, name, tag, keys) {
  const { 0: type, 1: inner } = kinds.isNumberObject(value) ? ['Number', numberValueOf.call(value)] :
    kinds.isStringObject(value) ? ['String', stringValueOf.call(value)] :
      kinds.isBooleanObject(value) ? ['Boolean', booleanValueOf.call(value)] :
        kinds.isBigIntObject(value) ? ['BigInt', bigintValueOf.call(value)] :
          ['Symbol', symbolValueOf.call(value)];
  if (type === 'String') arraySplice.call(keys, 0, value.length);
  let base = `[${type}`;
  if (type !== name) base += name === null ? ' (null prototype)' : ` (${name})`;
  base += `: ${primitive(ctx, inner, (text) => text)}]`;
  if (tag !== '' && tag !== name) base += ` [${tag}]`;
  return keys.length !== 0 ? base : ctx.style(base, stringToLowerCase.call(type));
}

function keysOf(value, showHidden) {
  const symbols = Object.getOwnPropertySymbols(value);
  if (showHidden) return [...over(hiddenNames(value)), ...over(symbols)];
  if (symbols.length === 0) return Object.keys(value);
  return [...over(Object.keys(value)), ...over(arrayFilter.call(symbols, (symbol) => objectPropertyIsEnumerable.call(value, symbol)))];
}

// V8 gives a sloppy-mode function two more properties, which are shown as null.
function hiddenNames(value) {
  const names = Object.getOwnPropertyNames(value);
  if (typeof value !== 'function' || !arrayIncludes.call(names, 'prototype') || arrayIncludes.call(names, 'caller') || !isSloppy(value)) return names;
  arraySplice.call(names, arrayIndexOf.call(names, 'prototype'), 0, 'arguments', 'caller');
  return names;
}

function isSloppy(value) {
  if (!regexpTest(/^function\b(?!\s*\*)/, functionToString.call(value))) return false;
  try {
    return value.caller === null || value.caller !== undefined;
  } catch {
    return false;
  }
}

const isIndex = (key) => typeof key === 'string' && regexpTest(/^(0|[1-9]\d*)$/, key) && +key < 2 ** 32 - 1;

// Keys other than the elements. The engine lists indices too and makes a name for each, which takes
// a second for a million; so for a large list only symbols are shown.
const LARGE = 2 ** 14;
function nonIndexKeys(ctx, value, length) {
  if (length > LARGE) {
    const symbols = arrayFilter.call(Object.getOwnPropertySymbols(value), (symbol) => ctx.showHidden || objectPropertyIsEnumerable.call(value, symbol));
    return ctx.showHidden && ArrayIsArray(value) ? ['length', ...over(symbols)] : symbols;
  }
  const keys = keysOf(value, ctx.showHidden);
  let first = keys.length;
  while (first > 0 && !isIndex(keys[first - 1])) first--; // indices come first
  return arraySlice.call(keys, first);
}

const moreItems = (count) => `... ${count} more item${count > 1 ? 's' : ''}`;

// The index of the first element after a hole. A limited number of places is tried; after that the
// keys are listed, since an array with long holes has few.
const PLACES = 1024;
function afterHoles(value, index) {
  const { length } = value;
  const near = Math.min(length, index + PLACES);
  for (let i = index + 1; i < near; i++) if (hasOwn(value, i)) return i;
  if (near === length) return length;
  const next = arrayFind.call(Object.getOwnPropertyNames(value), (key) => !isIndex(key) || +key > index);
  return next !== undefined && isIndex(next) ? +next : length;
}

function arrayItems(ctx, value, depth) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
  const output = [];
  let index = 0;
  for (; index < value.length && output.length < limit; index++) {
    if (hasOwn(value, index)) {
      arrayPush.call(output, property(ctx, value, depth, index, 'element'));
      continue;
    }
    // Consecutive holes are counted together.
    const end = afterHoles(value, index);
    const holes = end - index;
    index = end - 1;
    arrayPush.call(output, ctx.style(`<${holes} empty item${holes > 1 ? 's' : ''}>`, 'undefined'));
  }
  if (index < value.length) arrayPush.call(output, moreItems(value.length - index));
  return output;
}

function typedArrayItems(ctx, value, depth) {
  const length = typedarrayGetLength.call(value);
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), length);
  const output = [];
  for (let index = 0; index < limit; index++) arrayPush.call(output, primitive(ctx, value[index]));
  if (length > limit) arrayPush.call(output, moreItems(length - limit));
  if (ctx.showHidden) {
    ctx.indent += 2;
    for (const key of over(['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer']))
      arrayPush.call(output, `[${key}]: ${format(ctx, value[key], depth, true)}`);
    ctx.indent -= 2;
  }
  return output;
}

function collectionItems(ctx, values, size, depth, each) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), size);
  const output = [];
  ctx.indent += 2;
  for (const value of over(values)) {
    if (output.length >= limit) break;
    arrayPush.call(output, each(value));
  }
  if (size > limit) arrayPush.call(output, moreItems(size - limit));
  ctx.indent -= 2;
  return output;
}

function bufferItems(ctx, value) {
  let bytes;
  try {
    bytes = new Uint8Array(value);
  } catch {
    return [ctx.style('(detached)', 'special')];
  }
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
  let text = arrayJoin.call(arrayMap.call(ArrayFrom(over(bytes.subarray(0, limit))), (byte) => stringPadStart.call(numberToString.call(byte, 16), 2, '0')), ' ');
  const more = bytes.length - limit;
  if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
  return [`${ctx.style('[Uint8Contents]', 'special')}: <${text}>`];
}

function promiseItems(ctx, value, depth) {
  const { 0: state, 1: result } = util.promiseState(value);
  if (state === 0) return [ctx.style('<pending>', 'special')];
  ctx.indent += 2;
  const text = format(ctx, result, depth);
  ctx.indent -= 2;
  return [state === 2 ? `${ctx.style('<rejected>', 'special')} ${text}` : text];
}

// The remaining items of a map's or set's iterator: { items, pairs }, undefined if the engine
// doesn't give them. For pairs each call makes new arrays; other items are the same ones.
function iteratorItems(iterator) {
  const items = util.iteratorItems(iterator, (each) => [...over(each)]);
  if (items === undefined) return undefined;
  const again = util.iteratorItems(iterator, (each) => [...over(each)]);
  return { items, pairs: items.length > 0 && ArrayIsArray(items[0]) && items[0] !== again[0] };
}

// Shapes of iterables; undefined for anything else.
function iterableShape(ctx, value, name, tag) {
  if (ArrayIsArray(value)) {
    const front = name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${value.length})`) : '';
    const keys = nonIndexKeys(ctx, value, value.length);
    return { open: `${front}[`, close: ']', keys, array: true, empty: value.length === 0, items: arrayItems };
  }
  if (kinds.isSet(value)) {
    const size = setGetSize.call(value);
    return {
      open: `${prefix(name, tag, 'Set', `(${size})`)}{`, keys: keysOf(value, ctx.showHidden), empty: size === 0,
      items: (c, v, depth) => collectionItems(c, setItems(v), size, depth, (item) => format(c, item, depth)),
    };
  }
  if (kinds.isMap(value)) {
    const size = mapGetSize.call(value);
    return {
      open: `${prefix(name, tag, 'Map', `(${size})`)}{`, keys: keysOf(value, ctx.showHidden), empty: size === 0,
      items: (c, v, depth) => collectionItems(c, mapItems(v), size, depth,
        ({ 0: key, 1: item }) => `${format(c, key, depth)} => ${format(c, item, depth)}`),
    };
  }
  if (kinds.isTypedArray(value)) {
    const fallback = name === null ? typedarrayGetTag.call(value) : '';
    const length = typedarrayGetLength.call(value);
    const front = prefix(name, tag, fallback, `(${length})`);
    return {
      open: `${front}[`, close: ']', keys: nonIndexKeys(ctx, value, length), array: true,
      empty: length === 0 && !ctx.showHidden, items: typedArrayItems,
    };
  }
  if (kinds.isMapIterator(value) || kinds.isSetIterator(value)) {
    const type = kinds.isMapIterator(value) ? 'Map' : 'Set';
    const found = iteratorItems(value);
    const usual = `${type} Iterator`;
    const kind = found?.pairs ? `${type} Entries` : usual;
    const label = tag === usual ? kind : `${tag}${tag === '' ? '' : '] ['}${kind}`;
    const each = (c, depth) => found === undefined ? [c.style('<items unknown>', 'special')] :
      collectionItems(c, found.items, found.items.length, depth, (item) =>
        found.pairs ? `[ ${format(c, item[0], depth)}, ${format(c, item[1], depth)} ]` : format(c, item, depth));
    return { open: `[${label}] {`, keys: keysOf(value, ctx.showHidden), items: (c, v, depth) => each(c, depth) };
  }
  return undefined;
}

const ordinary = (value, name, tag) => {
  let fallback = '';
  if (name === null) fallback = kinds.isNativeError(value) ? 'Error' : 'Object';
  return prefix(name, tag, fallback);
};

// Shapes of everything else. `whole` is the text if there are no properties to show.
function shapeOf(ctx, value, name, tag, depth, inTypedArray) {
  const keys = keysOf(value, ctx.showHidden);
  const withItems = (type, items, first = []) =>
    ({ open: `${prefix(name, tag, type)}{`, keys: [...over(first), ...over(keys)], items });
  if (typeof value === 'function') {
    const base = functionBase(value, name, tag);
    return { base, whole: ctx.style(base, 'special'), keys };
  }
  if (name === 'Object') {
    const open = kinds.isArgumentsObject(value) ? '[Arguments] {' : tag !== '' ? `${prefix(name, tag, 'Object')}{` : '{';
    return { open, whole: `${open}}`, keys };
  }
  if (kinds.isRegExp(value)) {
    const front = prefix(name, tag, 'RegExp');
    const base = (front === 'RegExp ' ? '' : front) + regexpToString.call(value);
    return { base, whole: ctx.style(base, 'regexp'), keys, wholeWhenDeep: true };
  }
  if (kinds.isDate(value)) {
    const front = prefix(name, tag, 'Date');
    const text = NumberIsNaN(dateGetTime.call(value)) ? dateToString.call(value) :
      dateToISOString.call(value);
    const base = (front === 'Date ' ? '' : front) + text;
    return { base, whole: ctx.style(base, 'date'), keys };
  }
  if (kinds.isNativeError(value)) {
    const base = errorBase(ctx, value, name, tag, keys);
    return { base, whole: base, keys };
  }
  if (kinds.isAnyArrayBuffer(value)) {
    if (inTypedArray) return { whole: `${prefix(name, tag, 'ArrayBuffer')}{ byteLength: ${ctx.style(value.byteLength, 'number')} }`, keys: [] };
    return withItems('ArrayBuffer', bufferItems, ['byteLength']);
  }
  if (kinds.isDataView(value)) return withItems('DataView', () => [], ['byteLength', 'byteOffset', 'buffer']);
  if (kinds.isPromise(value)) return withItems('Promise', promiseItems);
  if (kinds.isWeakSet(value)) return withItems('WeakSet', (c) => [c.style('<items unknown>', 'special')]);
  if (kinds.isWeakMap(value)) return withItems('WeakMap', (c) => [c.style('<items unknown>', 'special')]);
  if (kinds.isBoxedPrimitive(value)) {
    const base = boxedBase(ctx, value, name, tag, keys);
    return { base, whole: base, keys };
  }
  const open = tools.isNamespace?.(value) ? '[Module: null prototype] {' : `${ordinary(value, name, tag)}{`;
  return { open, whole: `${open}}`, keys };
}

// --- the walk --------------------------------------------------------------------------------------

// The exports of an ES module are read by getters, which aren't the program's.
function exported(ctx, namespace, depth, key) {
  let text;
  ctx.indent += 2;
  try {
    text = format(ctx, namespace[key], depth);
  } catch {
    text = ctx.style('<uninitialized>', 'special');
  }
  ctx.indent -= 2;
  return `${ctx.style(regexpTest(/^[a-zA-Z_][a-zA-Z_0-9]*$/, key) ? key : quote(key), 'name')}: ${text}`;
}

function property(ctx, value, depth, key, role) {
  if (typeof key === 'string' && tools.isNamespace?.(value)) return exported(ctx, value, depth, key);
  const descriptor = Object.getOwnPropertyDescriptor(value, key) ??
    (typeof value === 'function' ? { value: null, enumerable: false } : { value: value[key], enumerable: true });
  let text;
  let gap = ' ';
  if ('value' in descriptor && descriptor.value !== undefined) {
    const step = ctx.compact === true && role !== 'element' ? 3 : 2;
    ctx.indent += step;
    text = format(ctx, descriptor.value, depth);
    // The old style puts a long value below its name.
    if (step === 3 && columnsOf(text, ctx.colors) > ctx.breakLength) gap = `\n${stringRepeat.call(' ', ctx.indent)}`;
    ctx.indent -= step;
  } else if (descriptor.get !== undefined) {
    const label = descriptor.set !== undefined ? 'Getter/Setter' : 'Getter';
    text = ctx.style(`[${label}]`, 'special');
    if (ctx.getters === true || ctx.getters === 'get' && descriptor.set === undefined ||
        ctx.getters === 'set' && descriptor.set !== undefined) text = getterText(ctx, value, depth, descriptor, label);
  } else if (descriptor.set !== undefined) {
    text = ctx.style('[Setter]', 'special');
  } else {
    text = ctx.style('undefined', 'undefined');
  }
  if (role === 'element') return text;
  let shown;
  if (typeof key === 'symbol') shown = `[${ctx.style(escaped(symbolToString.call(key)), 'symbol')}]`;
  else if (key === '__proto__') shown = "['__proto__']";
  else if (descriptor.enumerable === false) shown = `[${escaped(key)}]`;
  else if (regexpTest(/^[a-zA-Z_][a-zA-Z_0-9]*$/, key)) shown = ctx.style(key, 'name');
  else shown = ctx.style(quote(key), 'string');
  return `${shown}:${gap}${text}`;
}

function getterText(ctx, value, depth, descriptor, label) {
  try {
    const got = Reflect.apply(descriptor.get, value, []);
    ctx.indent += 2;
    const text = got !== null && typeof got === 'object' ?
      `${ctx.style(`[${label}]`, 'special')} ${format(ctx, got, depth)}` :
      `${ctx.style(`[${label}:`, 'special')} ${format(ctx, got, depth)}${ctx.style(']', 'special')}`;
    ctx.indent -= 2;
    return text;
  } catch (error) {
    return `${ctx.style(`[${label}:`, 'special')} <Inspection threw (${error.message})>${ctx.style(']', 'special')}`;
  }
}

// Returns the custom function's text, or undefined if there is none.
function customText(ctx, value, target, depth) {
  const method = target[custom];
  if (typeof method !== 'function' || method === inspect ||
      target.constructor && target.constructor.prototype === target) return undefined;
  const options = { ...ctx.user, ...pick(ctx), stylize: ctx.style };
  const left = ctx.depth === null ? null : ctx.depth - depth;
  const result = Reflect.apply(method, value, [left, { ...options, depth: left }, inspect]);
  if (result === value) return undefined;
  if (typeof result !== 'string') return format(ctx, result, depth);
  return stringReplaceAll.call(result, '\n', `\n${stringRepeat.call(' ', ctx.indent)}`);
}

function pick(ctx) {
  const options = {};
  for (const key of over(Object.keys(defaults))) options[key] = ctx[key];
  return options;
}

function format(ctx, value, depth, inTypedArray) {
  if (value === null) return ctx.style('null', 'null');
  if (typeof value !== 'object' && typeof value !== 'function') return primitive(ctx, value);
  let target = value;
  const behind = util.proxyTarget(value);
  if (behind !== undefined) {
    if (ctx.showProxy) return proxyText(ctx, value, behind, depth);
    target = behind;
    while (util.proxyTarget(target) !== undefined) target = util.proxyTarget(target);
  }
  if (ctx.customInspect) {
    const text = customText(ctx, value, target, depth);
    if (text !== undefined) return text;
  }
  if (arrayIncludes.call(ctx.seen, target)) {
    ctx.circular ??= new Map();
    if (!ctx.circular.has(target)) ctx.circular.set(target, ctx.circular.size + 1);
    return ctx.style(`[Circular *${ctx.circular.get(target)}]`, 'special');
  }
  return formatObject(ctx, target, depth, inTypedArray);
}

function proxyText(ctx, value, behind, depth) {
  if (ctx.depth !== null && depth > ctx.depth) return ctx.style('Proxy [Array]', 'special');
  ctx.indent += 2;
  const parts = [format(ctx, behind, depth + 1), format(ctx, util.proxyHandler(value), depth + 1)];
  ctx.indent -= 2;
  ctx.deepest = depth + 1;
  return layout(ctx, parts, '', 'Proxy [', ']', true, depth + 1);
}

function formatObject(ctx, value, depth, inTypedArray) {
  const name = constructorName(value);
  const tag = tagOf(ctx, value);
  const iterable = Symbol.iterator in value || name === null ? iterableShape(ctx, value, name, tag) : undefined;
  const shape = iterable ?? shapeOf(ctx, value, name, tag, depth, inTypedArray);
  const { close = '}', keys, items, array = false } = shape;
  let { base = '', open = '{' } = shape;
  const tooDeep = ctx.depth !== null && depth > ctx.depth;
  if (keys.length === 0 || shape.wholeWhenDeep && tooDeep) {
    if (shape.empty) return `${open}${close}`;
    if (shape.whole !== undefined) return shape.whole;
  }
  if (tooDeep) {
    const label = stringSlice.call(ordinary(value, name, tag), 0, -1);
    return ctx.style(name === null ? label : `[${label}]`, 'special');
  }
  depth++;
  arrayPush.call(ctx.seen, value);
  ctx.deepest = depth;
  const output = items === undefined ? [] : items(ctx, value, depth);
  const extra = arrayMap.call(keys, (key) => property(ctx, value, depth, key));
  const order = ctx.sorted === true ? undefined : ctx.sorted;
  if (ctx.sorted && array) arraySort.call(extra, order);
  for (const entry of over(extra)) arrayPush.call(output, entry);
  if (ctx.sorted && !array) arraySort.call(output, order);
  arrayPop.call(ctx.seen);
  const reference = ctx.circular?.get(value);
  if (reference !== undefined) {
    const mark = ctx.style(`<ref *${reference}>`, 'special');
    if (ctx.compact === true) open = `${mark} ${open}`;
    else base = base === '' ? mark : `${mark} ${base}`;
  }
  const text = layout(ctx, output, base, open, close, array, depth, value);
  // Counts the characters written at each indentation; beyond the limit no more objects are
  // entered.
  const written = ctx.written[ctx.indent] = (ctx.written[ctx.indent] ?? 0) + text.length;
  if (written > MOST_TEXT) ctx.depth = -1;
  return text;
}

// --- the interface ----------------------------------------------------------------------------------------

function inspect(value, options, ...older) {
  const ctx = { ...defaults, seen: [], written: { __proto__: null }, circular: undefined, deepest: 0, indent: 0, user: undefined, style: undefined };
  if (older.length > 0 || typeof options === 'boolean') {
    // inspect(value, showHidden, depth, colors), the old form.
    ctx.showHidden = options === true;
    if (older[0] !== undefined) ctx.depth = older[0];
    if (older[1] !== undefined) ctx.colors = older[1];
  } else if (options !== null && typeof options === 'object') {
    for (const key of over(Object.keys(options)))
      if (key in defaults || key === 'stylize') ctx[key] = options[key];
    ctx.user = options;
  }
  ctx.style = ctx.colors ? colored : (text) => `${text}`;
  for (const limit of over(['maxArrayLength', 'maxStringLength'])) if (ctx[limit] === null) ctx[limit] = Infinity;
  if (ctx.depth === Infinity) ctx.depth = null;
  if (ctx.compact === false) ctx.compact = 0;
  return format(ctx, value, 0);
}
inspect.custom = custom;
inspect.colors = text.colors;
inspect.styles = text.styles;
Object.defineProperty(inspect, 'defaultOptions', { __proto__: null,
  get: () => defaults,
  set: (options) => Object.assign(defaults, options),
});

module.exports = { LARGE, bigintText, inspect, iteratorItems, numberText, withoutColors };
// util.format builds on inspect and is a file of its own.
Object.assign(module.exports, require('internal/format'));
