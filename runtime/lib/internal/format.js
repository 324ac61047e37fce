'use strict';
// util.format: "%s is %d" and so on.

const { NumberParseFloat, NumberParseInt, arrayFilter, over, regexpReplace, regexpTest } = intrinsics;
const { bigintText, inspect, numberText } = require('internal/inspect');

// The engine's classes, not those that the runtime adds.
const ours = new Set(['Buffer', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'Event', 'EventTarget', 'CustomEvent',
  'AbortController', 'AbortSignal', 'DOMException', 'PerformanceObserver', 'PerformanceEntry', 'Blob', 'File']);
const builtIn = new Set(arrayFilter.call(Object.getOwnPropertyNames(global), (name) => regexpTest(/^[A-Z][a-zA-Z0-9]+$/, name) && !ours.has(name)));

// Whether toString is the engine's own; then inspecting says more.
function hasOwnText(value) {
  if (Object.hasOwn(value, 'toString') || Object.hasOwn(value, Symbol.toPrimitive)) return true;
  if (typeof value.toString !== 'function' && typeof value[Symbol.toPrimitive] !== 'function') return false;
  let object = value;
  do {
    object = Object.getPrototypeOf(object);
  } while (object !== null && !Object.hasOwn(object, 'toString') && !Object.hasOwn(object, Symbol.toPrimitive));
  if (object === null) return false;
  const descriptor = Object.getOwnPropertyDescriptor(object, 'constructor');
  return !(descriptor !== undefined && typeof descriptor.value === 'function' && builtIn.has(descriptor.value.name));
}

function json(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (regexpTest(/cyclic|circular/i, error.message)) return '[Circular]';
    throw error;
  }
}

function number(value, options, convert) {
  if (typeof value === 'bigint') return bigintText(value, options);
  return typeof value === 'symbol' ? 'NaN' : numberText(convert(value), options);
}

const directives = {
  s(value, options) {
    if (typeof value === 'number') return numberText(value, options);
    if (typeof value === 'bigint') return bigintText(value, options);
    if (typeof value !== 'object' || value === null || hasOwnText(value) && typeof (value[Symbol.toPrimitive] ?? value.toString) === 'function') return String(value);
    return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
  },
  j: json,
  d: (value, options) => number(value, options, Number),
  i: (value, options) => number(value, options, NumberParseInt),
  f: (value, options) => typeof value === 'symbol' ? 'NaN' : numberText(NumberParseFloat(value), options),
  O: (value, options) => inspect(value, options),
  o: (value, options) => inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 }),
  c: () => '',
};

function formatWithOptions(options, ...args) {
  if (inspect.defaultOptions.numericSeparator && options?.numericSeparator === undefined) options = { ...options, numericSeparator: true };
  let next = 0;
  let text = '';
  if (typeof args[0] === 'string') {
    text = args[0];
    next = 1;
    if (args.length > 1)
      text = regexpReplace(/%(.)/gs, text, (whole, letter) => {
        if (letter === '%') return '%';
        if (next >= args.length || !Object.hasOwn(directives, letter)) return whole;
        return directives[letter](args[next++], options);
      });
  }
  for (; next < args.length; next++) {
    const value = args[next];
    text += (next === 0 ? '' : ' ') + (typeof value === 'string' ? value : inspect(value, options));
  }
  return text;
}

const format = (...args) => formatWithOptions({}, ...over(args));

module.exports = { format, formatWithOptions };
