'use strict';
// Names in util.inspect: the constructor in front of an object, functions and classes, and an
// error's stack under its class's name.

const {
  ArrayIsArray, arrayIncludes, arrayIndexOf, arrayPush, arraySplice, errorToString, functionToString,
  objectPropertyIsEnumerable, over, regexpExec, regexpTest, stringEndsWith, stringIncludes, stringIndexOf,
  stringRepeat, stringReplaceAll, stringSlice, stringStartsWith,
} = intrinsics;
const kinds = require('internal/kinds');
const { full } = require('internal/stack');

const hasOwn = Object.hasOwn;

// --- names --------------------------------------------------------------------------------------

// The name of the nearest constructor, null for an object without prototypes.
function constructorName(value) {
  for (let object = value; object; object = Object.getPrototypeOf(object)) {
    const own = Object.getOwnPropertyDescriptor(object, 'constructor');
    // A getter while the program uses asynchronous contexts (internal/contexts_promises).
    const maker = own?.get !== undefined && object === Promise.prototype ? Promise : own?.value;
    if (typeof maker === 'function' && maker.name !== '' && isInstance(value, maker)) return String(maker.name);
  }
  const parent = Object.getPrototypeOf(value);
  if (parent === null) return null;
  return `Object <${constructorName(parent) ?? require('internal/inspect').inspect(parent, { customInspect: false, depth: -1 })}>`;
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
  const own = ctx.showHidden ? hasOwn(value, Symbol.toStringTag) : objectPropertyIsEnumerable.call(value, Symbol.toStringTag);
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
  const source = functionToString.call(value);
  if (stringStartsWith.call(source, 'class') && stringEndsWith.call(source, '}') && regexpTest(/^class\b/, source)) return classBase(value, name, tag);
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

// --- errors ---------------------------------------------------------------------------------------

// The beginning of a stack, if it can be an error's name: words up to a colon or the first frame,
// or a text that is nothing but "…Error".
function leadingName(stack) {
  const end = regexpExec.call(/[^\w \-[\]()]/, stack)?.index ?? -1;
  const after = end < 2 ? '' : stringSlice.call(stack, end, end + 7);
  if (regexpTest(/^[A-Z]/, stack) && (after[0] === ':' || after === '\n    at')) return stringSlice.call(stack, 0, end);
  return stringEndsWith.call(stack, 'Error') && !regexpTest(/[^\w-]/, stack) ? stack : '';
}

// Puts the class's name in front where the stack only says "Error".
function improved(stack, name, errorName, tag) {
  if (name !== null && !(stringEndsWith.call(errorName, 'Error') && stringStartsWith.call(stack, errorName) &&
      (stack.length === errorName.length || stringIncludes.call(':\n', stack[errorName.length])))) return stack;
  let fallback = 'Error';
  let length = errorName.length;
  if (name === null) {
    const start = leadingName(stack);
    fallback = start || 'Error';
    length = start.length;
  }
  const wanted = stringSlice.call(prefix(name, tag, fallback), 0, -1);
  if (errorName === wanted) return stack;
  if (stringIncludes.call(wanted, errorName)) return length === 0 ? `${wanted}: ${stack}` : wanted + stringSlice.call(stack, length);
  return `${wanted} [${errorName}]${stringSlice.call(stack, length)}`;
}

function errorBase(ctx, error, name, tag, keys) {
  const errorName = error.name != null ? String(error.name) : 'Error';
  let stack = full(error) || errorToString.call(error);
  if (!ctx.showHidden)
    for (const key of over(['name', 'message', 'stack'])) {
      const at = arrayIndexOf.call(keys, key);
      if (at >= 0 && (key === 'stack' || stringIncludes.call(stack, error[key]))) arraySplice.call(keys, at, 1);
    }
  // The engine's own properties for the place of an error; the stack has it.
  for (const key of over(['line', 'column', 'sourceURL'])) {
    const at = arrayIndexOf.call(keys, key);
    if (at >= 0) arraySplice.call(keys, at, 1);
  }
  if ('cause' in error && !arrayIncludes.call(keys, 'cause')) arrayPush.call(keys, 'cause');
  if (ArrayIsArray(error.errors) && !arrayIncludes.call(keys, 'errors')) arrayPush.call(keys, 'errors');
  stack = improved(stack, name, errorName, tag);
  let at = error.message ? stringIndexOf.call(stack, error.message) : -1;
  if (at !== -1) at += error.message.length;
  if (stringIndexOf.call(stack, '\n    at', Math.max(at, 0)) === -1) stack = `[${stack}]`;
  return ctx.indent === 0 ? stack : stringReplaceAll.call(stack, '\n', `\n${stringRepeat.call(' ', ctx.indent)}`);
}

module.exports = { constructorName, errorBase, functionBase, prefix, tagOf };
