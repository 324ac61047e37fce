'use strict';
// util.inspect and util.format: the text that Node 20 prints for a value.
//
// A value becomes a "shape": { base, open, close, items, keys, array }, where items are
// what the kind itself shows (array elements, map entries …) and keys the properties that
// follow. layout() then puts the entries on one line, in columns or on lines of their own
// (internal/inspect_layout); what single values look like is in internal/inspect_text.

const { mapEntries, mapGetSize, setGetSize, setValues } = intrinsics;
const tools = require('internal/tools');
const util = native('util');
const kinds = require('internal/kinds');
const { layout } = require('internal/inspect_layout');
const text = require('internal/inspect_text');
const { full } = require('internal/stack');

const { bigintText, colored, columnsOf, escapable, escapeCharacter, numberText, primitive, quote, withoutColors } = text;

const custom = Symbol.for('nodejs.util.inspect.custom');
const defaults = {
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};
const hasOwn = Object.hasOwn;
const mapSize = mapGetSize;
const setSize = setGetSize;
const TypedArray = Object.getPrototypeOf(Uint8Array).prototype;
const typedArrayLength = Object.getOwnPropertyDescriptor(TypedArray, 'length').get;
const typedArrayName = Object.getOwnPropertyDescriptor(TypedArray, Symbol.toStringTag).get;
const isEnumerable = Object.prototype.propertyIsEnumerable;

// --- names --------------------------------------------------------------------------------------

// The name of the nearest constructor, null for an object without prototypes.
function constructorName(value) {
  for (let object = value; object; object = Object.getPrototypeOf(object)) {
    const maker = Object.getOwnPropertyDescriptor(object, 'constructor')?.value;
    if (typeof maker === 'function' && maker.name !== '' && isInstance(value, maker)) return String(maker.name);
  }
  const parent = Object.getPrototypeOf(value);
  if (parent === null) return null;
  return `Object <${constructorName(parent) ?? inspect(parent, { customInspect: false, depth: -1 })}>`;
}

function isInstance(value, constructor) {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

function prefix(name, tag, fallback, size = '') {
  if (name === null)
    return tag !== '' && fallback !== tag ? `[${fallback}${size}: null prototype] [${tag}] ` :
      `[${fallback}${size}: null prototype] `;
  return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
}

function tagOf(ctx, value) {
  const tag = value[Symbol.toStringTag];
  if (typeof tag !== 'string' || tag === '') return '';
  const own = ctx.showHidden ? hasOwn(value, Symbol.toStringTag) : isEnumerable.call(value, Symbol.toStringTag);
  return own ? '' : tag;
}

function classBase(value, name, tag) {
  const own = hasOwn(value, 'name') && typeof value.name === 'string' && value.name !== '' ? value.name : '';
  let base = `class ${own === '' ? '(anonymous)' : own}`;
  if (name !== 'Function' && name !== null) base += ` [${name}]`;
  if (tag !== '' && name !== tag) base += ` [${tag}]`;
  if (name !== null) {
    const parent = Object.getPrototypeOf(value).name;
    if (parent) base += ` extends ${parent}`;
  } else {
    base += ' extends [null prototype]';
  }
  return `[${base}]`;
}

function functionBase(value, name, tag) {
  const source = Function.prototype.toString.call(value);
  if (source.startsWith('class') && source.endsWith('}') && /^class\b/.test(source)) return classBase(value, name, tag);
  let type = 'Function';
  if (kinds.isGeneratorFunction(value)) type = `Generator${type}`;
  if (kinds.isAsyncFunction(value)) type = `Async${type}`;
  let base = `[${type}`;
  if (name === null) base += ' (null prototype)';
  base += value.name === '' || value.name === undefined ? ' (anonymous)]' : `: ${String(value.name)}]`;
  if (name !== type && name !== null) base += ` ${name}`;
  if (tag !== '' && name !== tag) base += ` [${tag}]`;
  return base;
}

function boxedBase(ctx, value, name, tag, keys) {
  const [type, inner] = kinds.isNumberObject(value) ? ['Number', Number.prototype.valueOf.call(value)] :
    kinds.isStringObject(value) ? ['String', String.prototype.valueOf.call(value)] :
      kinds.isBooleanObject(value) ? ['Boolean', Boolean.prototype.valueOf.call(value)] :
        kinds.isBigIntObject(value) ? ['BigInt', BigInt.prototype.valueOf.call(value)] :
          ['Symbol', Symbol.prototype.valueOf.call(value)];
  if (type === 'String') keys.splice(0, value.length);
  let base = `[${type}`;
  if (type !== name) base += name === null ? ' (null prototype)' : ` (${name})`;
  base += `: ${primitive(ctx, inner, (text) => text)}]`;
  if (tag !== '' && tag !== name) base += ` [${tag}]`;
  return keys.length !== 0 ? base : ctx.style(base, type.toLowerCase());
}

// --- errors ---------------------------------------------------------------------------------------

// What a stack begins with if that can be an error's name: words up to a colon or the first
// frame, or a text that is nothing but "…Error".
function leadingName(stack) {
  const end = stack.search(/[^\w \-[\]()]/);
  const after = end < 2 ? '' : stack.slice(end, end + 7);
  if (/^[A-Z]/.test(stack) && (after[0] === ':' || after === '\n    at')) return stack.slice(0, end);
  return stack.endsWith('Error') && !/[^\w-]/.test(stack) ? stack : '';
}

// A class's name goes in front where the stack only says "Error".
function improved(stack, name, errorName, tag) {
  if (name !== null && !(errorName.endsWith('Error') && stack.startsWith(errorName) &&
      (stack.length === errorName.length || ':\n'.includes(stack[errorName.length])))) return stack;
  let fallback = 'Error';
  let length = errorName.length;
  if (name === null) {
    const start = leadingName(stack);
    fallback = start || 'Error';
    length = start.length;
  }
  const wanted = prefix(name, tag, fallback).slice(0, -1);
  if (errorName === wanted) return stack;
  if (wanted.includes(errorName)) return length === 0 ? `${wanted}: ${stack}` : wanted + stack.slice(length);
  return `${wanted} [${errorName}]${stack.slice(length)}`;
}

function errorBase(ctx, error, name, tag, keys) {
  const errorName = error.name != null ? String(error.name) : 'Error';
  let stack = full(error) || Error.prototype.toString.call(error);
  if (!ctx.showHidden)
    for (const key of ['name', 'message', 'stack']) {
      const at = keys.indexOf(key);
      if (at >= 0 && (key === 'stack' || stack.includes(error[key]))) keys.splice(at, 1);
    }
  // The engine's own notes about the place: the stack has them.
  for (const key of ['line', 'column', 'sourceURL']) {
    const at = keys.indexOf(key);
    if (at >= 0) keys.splice(at, 1);
  }
  if ('cause' in error && !keys.includes('cause')) keys.push('cause');
  if (Array.isArray(error.errors) && !keys.includes('errors')) keys.push('errors');
  stack = improved(stack, name, errorName, tag);
  let at = error.message ? stack.indexOf(error.message) : -1;
  if (at !== -1) at += error.message.length;
  if (stack.indexOf('\n    at', Math.max(at, 0)) === -1) stack = `[${stack}]`;
  return ctx.indent === 0 ? stack : stack.replaceAll('\n', `\n${' '.repeat(ctx.indent)}`);
}

// --- shapes -----------------------------------------------------------------------------------------

function keysOf(value, showHidden) {
  const symbols = Object.getOwnPropertySymbols(value);
  if (showHidden) return [...hiddenNames(value), ...symbols];
  return [...Object.keys(value), ...symbols.filter((symbol) => isEnumerable.call(value, symbol))];
}

// V8 gives an old-fashioned function two more properties, which it shows as null.
function hiddenNames(value) {
  const names = Object.getOwnPropertyNames(value);
  if (typeof value !== 'function' || !names.includes('prototype') || names.includes('caller') || !isSloppy(value)) return names;
  names.splice(names.indexOf('prototype'), 0, 'arguments', 'caller');
  return names;
}

function isSloppy(value) {
  if (!/^function\b(?!\s*\*)/.test(Function.prototype.toString.call(value))) return false;
  try {
    return value.caller === null || value.caller !== undefined;
  } catch {
    return false;
  }
}

const isIndex = (key) => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key) && +key < 2 ** 32 - 1;
const nonIndexKeys = (ctx, value) => keysOf(value, ctx.showHidden).filter((key) => !isIndex(key));

const moreItems = (count) => `... ${count} more item${count > 1 ? 's' : ''}`;

function arrayItems(ctx, value, depth) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
  const output = [];
  let index = 0;
  for (; index < value.length && output.length < limit; index++) {
    if (hasOwn(value, index)) {
      output.push(property(ctx, value, depth, index, 'element'));
      continue;
    }
    // Holes are counted together.
    let holes = 1;
    while (index + 1 < value.length && !hasOwn(value, index + 1)) {
      holes++;
      index++;
    }
    output.push(ctx.style(`<${holes} empty item${holes > 1 ? 's' : ''}>`, 'undefined'));
  }
  if (index < value.length) output.push(moreItems(value.length - index));
  return output;
}

function typedArrayItems(ctx, value, depth) {
  const length = typedArrayLength.call(value);
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), length);
  const output = [];
  for (let index = 0; index < limit; index++) output.push(primitive(ctx, value[index]));
  if (length > limit) output.push(moreItems(length - limit));
  if (ctx.showHidden) {
    ctx.indent += 2;
    for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'])
      output.push(`[${key}]: ${format(ctx, value[key], depth, true)}`);
    ctx.indent -= 2;
  }
  return output;
}

function collectionItems(ctx, values, size, depth, each) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), size);
  const output = [];
  ctx.indent += 2;
  for (const value of values) {
    if (output.length >= limit) break;
    output.push(each(value));
  }
  if (size > limit) output.push(moreItems(size - limit));
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
  let text = Array.from(bytes.subarray(0, limit), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const more = bytes.length - limit;
  if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
  return [`${ctx.style('[Uint8Contents]', 'special')}: <${text}>`];
}

function promiseItems(ctx, value, depth) {
  const [state, result] = util.promiseState(value);
  if (state === 0) return [ctx.style('<pending>', 'special')];
  ctx.indent += 2;
  const text = format(ctx, result, depth);
  ctx.indent -= 2;
  return [state === 2 ? `${ctx.style('<rejected>', 'special')} ${text}` : text];
}

// What is left in an iterator of a map or a set: { items, pairs }, undefined if the engine
// doesn't show it. Of pairs each look makes new ones, of anything else it finds the same.
function iteratorItems(iterator) {
  const items = util.iteratorItems(iterator, (each) => [...each]);
  if (items === undefined) return undefined;
  const again = util.iteratorItems(iterator, (each) => [...each]);
  return { items, pairs: items.length > 0 && Array.isArray(items[0]) && items[0] !== again[0] };
}

// Shapes of things one can iterate; undefined for anything else.
function iterableShape(ctx, value, name, tag) {
  if (Array.isArray(value)) {
    const front = name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${value.length})`) : '';
    const keys = nonIndexKeys(ctx, value).filter((key) => key !== 'length' || ctx.showHidden);
    return { open: `${front}[`, close: ']', keys, array: true, empty: value.length === 0, items: arrayItems };
  }
  if (kinds.isSet(value)) {
    const size = setSize.call(value);
    return {
      open: `${prefix(name, tag, 'Set', `(${size})`)}{`, keys: keysOf(value, ctx.showHidden), empty: size === 0,
      items: (c, v, depth) => collectionItems(c, setValues.call(v), size, depth, (item) => format(c, item, depth)),
    };
  }
  if (kinds.isMap(value)) {
    const size = mapSize.call(value);
    return {
      open: `${prefix(name, tag, 'Map', `(${size})`)}{`, keys: keysOf(value, ctx.showHidden), empty: size === 0,
      items: (c, v, depth) => collectionItems(c, mapEntries.call(v), size, depth,
        ([key, item]) => `${format(c, key, depth)} => ${format(c, item, depth)}`),
    };
  }
  if (kinds.isTypedArray(value)) {
    const fallback = name === null ? typedArrayName.call(value) : '';
    const length = typedArrayLength.call(value);
    const front = prefix(name, tag, fallback, `(${length})`);
    return {
      open: `${front}[`, close: ']', keys: nonIndexKeys(ctx, value), array: true,
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
    ({ open: `${prefix(name, tag, type)}{`, keys: [...first, ...keys], items });
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
    const base = (front === 'RegExp ' ? '' : front) + RegExp.prototype.toString.call(value);
    return { base, whole: ctx.style(base, 'regexp'), keys, wholeWhenDeep: true };
  }
  if (kinds.isDate(value)) {
    const front = prefix(name, tag, 'Date');
    const text = Number.isNaN(Date.prototype.getTime.call(value)) ? Date.prototype.toString.call(value) :
      Date.prototype.toISOString.call(value);
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

// What an ES module exports is read by getters, which are none of the program's business.
function exported(ctx, namespace, depth, key) {
  let text;
  ctx.indent += 2;
  try {
    text = format(ctx, namespace[key], depth);
  } catch {
    text = ctx.style('<uninitialized>', 'special');
  }
  ctx.indent -= 2;
  return `${ctx.style(/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quote(key), 'name')}: ${text}`;
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
    // The old style puts what is long under its name.
    if (step === 3 && columnsOf(text, ctx.colors) > ctx.breakLength) gap = `\n${' '.repeat(ctx.indent)}`;
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
  if (typeof key === 'symbol') shown = `[${ctx.style(Symbol.prototype.toString.call(key).replace(escapable, escapeCharacter), 'symbol')}]`;
  else if (key === '__proto__') shown = "['__proto__']";
  else if (descriptor.enumerable === false) shown = `[${key.replace(escapable, escapeCharacter)}]`;
  else if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) shown = ctx.style(key, 'name');
  else shown = ctx.style(quote(key), 'string');
  return `${shown}:${gap}${text}`;
}

function getterText(ctx, value, depth, descriptor, label) {
  try {
    const got = descriptor.get.call(value);
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
  const result = method.call(value, left, { ...options, depth: left }, inspect);
  if (result === value) return undefined;
  if (typeof result !== 'string') return format(ctx, result, depth);
  return result.replaceAll('\n', `\n${' '.repeat(ctx.indent)}`);
}

function pick(ctx) {
  const options = {};
  for (const key of Object.keys(defaults)) options[key] = ctx[key];
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
  if (ctx.seen.includes(target)) {
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
    const label = ordinary(value, name, tag).slice(0, -1);
    return ctx.style(name === null ? label : `[${label}]`, 'special');
  }
  depth++;
  ctx.seen.push(value);
  ctx.deepest = depth;
  const output = items === undefined ? [] : items(ctx, value, depth);
  const extra = keys.map((key) => property(ctx, value, depth, key));
  const order = ctx.sorted === true ? undefined : ctx.sorted;
  if (ctx.sorted && array) extra.sort(order);
  output.push(...extra);
  if (ctx.sorted && !array) output.sort(order);
  ctx.seen.pop();
  const reference = ctx.circular?.get(value);
  if (reference !== undefined) {
    const mark = ctx.style(`<ref *${reference}>`, 'special');
    if (ctx.compact === true) open = `${mark} ${open}`;
    else base = base === '' ? mark : `${mark} ${base}`;
  }
  return layout(ctx, output, base, open, close, array, depth, value);
}

// --- the interface ----------------------------------------------------------------------------------------

function inspect(value, options, ...older) {
  const ctx = { ...defaults, seen: [], circular: undefined, deepest: 0, indent: 0, user: undefined, style: undefined };
  if (older.length > 0 || typeof options === 'boolean') {
    // inspect(value, showHidden, depth, colors), as it once was.
    ctx.showHidden = options === true;
    if (older[0] !== undefined) ctx.depth = older[0];
    if (older[1] !== undefined) ctx.colors = older[1];
  } else if (options !== null && typeof options === 'object') {
    for (const key of Object.keys(options))
      if (key in defaults || key === 'stylize') ctx[key] = options[key];
    ctx.user = options;
  }
  ctx.style = ctx.colors ? colored : (text) => `${text}`;
  for (const limit of ['maxArrayLength', 'maxStringLength']) if (ctx[limit] === null) ctx[limit] = Infinity;
  if (ctx.depth === Infinity) ctx.depth = null;
  if (ctx.compact === false) ctx.compact = 0;
  return format(ctx, value, 0);
}
inspect.custom = custom;
inspect.colors = text.colors;
inspect.styles = text.styles;
Object.defineProperty(inspect, 'defaultOptions', {
  get: () => defaults,
  set: (options) => Object.assign(defaults, options),
});

module.exports = { bigintText, inspect, iteratorItems, numberText, withoutColors };
// util.format builds on inspect and is a file of its own.
Object.assign(module.exports, require('internal/format'));
