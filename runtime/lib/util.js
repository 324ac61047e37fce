'use strict';
// util of Node 20. Printing is in internal/inspect.

const {
  ArrayFrom, ArrayIsArray, GenuineMap, NumberIsSafeInteger, SymbolFor, arrayConcat, arrayIncludes, arrayIndexOf,
  arrayJoin, arrayMap, arrayPop, arrayPush, arrayReverse, arraySome, arraySort, dateGetDate, dateGetHours,
  dateGetMinutes, dateGetMonth, dateGetSeconds, invoke, over, regexpReplace,
  regexpTest, stringIndexOf, stringPadStart, stringSplit, stringStartsWith, stringToUpperCase, stringTrim,
} = intrinsics;
const { inspect, format, formatWithOptions: formatted, withoutColors } = require('internal/inspect');
const kinds = require('internal/kinds');
const errors = require('internal/errors');
const binding = native('process');

const kCustom = SymbolFor('nodejs.util.promisify.custom');

function promisify(original) {
  errors.validateFunction(original, 'original');
  if (original[kCustom]) {
    const made = original[kCustom];
    errors.validateFunction(made, 'util.promisify.custom');
    return Object.defineProperty(made, kCustom, { __proto__: null, value: made, enumerable: false, writable: false, configurable: true });
  }
  const names = original[promisify.names];
  function fn(...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [...over(args), (error, ...values) => {
        if (error) return reject(error);
        if (names !== undefined && values.length > 1)
          return resolve(Object.fromEntries(over(arrayMap.call(names, (name, index) => [name, values[index]]))));
        resolve(values[0]);
      }]);
    });
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  Object.defineProperty(fn, kCustom, { __proto__: null, value: fn, enumerable: false, writable: false, configurable: true });
  return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = kCustom;
// Names for the values of callbacks with several, as (err, stdout, stderr) of exec.
promisify.names = Symbol('names');

function callbackify(original) {
  errors.validateFunction(original, 'original');
  function callbackified(...args) {
    const callback = arrayPop.call(args);
    errors.validateFunction(callback, 'last argument');
    const done = (...results) => process.nextTick(() => { Reflect.apply(callback, this, results); });
    const promise = Reflect.apply(original, this, args); // or anything that has a then
    invoke(promise.then, promise, (value) => done(null, value), (reason) => {
      if (!reason) {
        const error = errors.coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
        error.reason = reason;
        reason = error;
      }
      done(reason);
    });
  }
  const descriptors = Object.getOwnPropertyDescriptors(original);
  if (typeof descriptors.length?.value === 'number') descriptors.length.value++;
  if (typeof descriptors.name?.value === 'string') descriptors.name.value += 'Callbackified';
  delete descriptors.prototype;
  return Object.defineProperties(callbackified, descriptors);
}

const warnedCodes = new Set();
function deprecate(fn, message, code) {
  if (code !== undefined) errors.validateString(code, 'code');
  let warned = false;
  function deprecated(...args) {
    if (!warned) {
      warned = true;
      if (code === undefined || !warnedCodes.has(code)) {
        warnedCodes.add(code);
        process.emitWarning(message, 'DeprecationWarning', code);
      }
    }
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  }
  Object.setPrototypeOf(deprecated, fn);
  if (fn.prototype) deprecated.prototype = fn.prototype;
  return deprecated;
}

function inherits(constructor, parent) {
  if (constructor == null) throw errors.invalidArgType('ctor', 'of type function', constructor);
  if (parent == null) throw errors.invalidArgType('superCtor', 'of type function', parent);
  if (parent.prototype === undefined)
    throw errors.invalidArgType('superCtor.prototype', 'of type object', parent.prototype);
  Object.defineProperty(constructor, 'super_', { __proto__: null, value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

function formatWithOptions(inspectOptions, ...args) {
  if (inspectOptions === null || typeof inspectOptions !== 'object') throw errors.invalidArgType('inspectOptions', 'of type object', inspectOptions);
  return formatted(inspectOptions, ...over(args));
}

function debuglog(name, callback) {
  const section = typeof name === 'symbol' ? '' : `${name}`;
  const wanted = stringSplit.call(stringToUpperCase.call(process.env.NODE_DEBUG ?? ''), ',');
  const enabled = arraySome.call(wanted, (name) =>
    regexpTest(new RegExp(`^${arrayJoin.call(arrayMap.call(stringSplit.call(stringTrim.call(name), '*'), (part) => regexpReplace(/\W/g, part, '\\$&')), '.*')}$`), stringToUpperCase.call(section)));
  const log = enabled ?
    (...args) => {
      const options = { colors: isColorful(process.stderr) };
      const pid = formatWithOptions(options, '%O', process.pid);
      process.stderr.write(`${stringToUpperCase.call(section)} ${pid}: ${formatWithOptions(options, ...over(args))}\n`);
    } : () => {};
  log.enabled = enabled;
  if (typeof callback === 'function') callback(log);
  return log;
}

function isColorful(stream) {
  const { FORCE_COLOR, NO_COLOR, NODE_DISABLE_COLORS, TERM } = process.env;
  if (FORCE_COLOR !== undefined) return arrayIncludes.call(['', '1', 'true', '2', '3'], FORCE_COLOR);
  return Boolean(stream?.isTTY) && !NO_COLOR && !NODE_DISABLE_COLORS && TERM !== 'dumb';
}

// A single format is omitted if its stream has no colors; several are not.
function styleText(format, text, { validateStream = true, stream = process.stdout } = {}) {
  errors.validateString(text, 'text');
  errors.validateBoolean(validateStream, 'options.validateStream');
  if (validateStream && !require('internal/streams/state').isNode(stream))
    throw errors.invalidArgType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
  const codes = arrayMap.call(ArrayIsArray(format) ? format : [format], (name) => {
    if (Object.hasOwn(inspect.colors, name)) return inspect.colors[name];
    const names = arrayJoin.call(arrayMap.call(Object.keys(inspect.colors), (each) => `'${each}'`), ', ');
    throw errors.invalidArgValue('format', name, `must be one of: ${names}`);
  });
  if (validateStream && !ArrayIsArray(format) && !isColorful(stream)) return text;
  const before = arrayJoin.call(arrayMap.call(codes, ({ 0: on }) => `\u001b[${on}m`), '');
  return `${before}${text}${arrayJoin.call(arrayMap.call(arrayReverse.call(codes), ({ 1: off }) => `\u001b[${off}m`), '')}`;
}

// In the order of libuv's list: by name, then those added later.
function getSystemErrorMap() {
  const late = ['UNKNOWN', 'EOF', 'ENXIO', 'EMLINK', 'EHOSTDOWN', 'EREMOTEIO', 'ENOTTY', 'EILSEQ', 'EOVERFLOW',
    'ESOCKTNOSUPPORT', 'ENODATA', 'EUNATCH'];
  const found = [];
  const numbers = arrayConcat.call(ArrayFrom({ length: 140 }, (none, index) => index), ArrayFrom({ length: 20 }, (none, index) => 3000 + index),
    [4080, 4094, 4095]);
  for (const number of over(numbers)) {
    const name = number === 0 ? '' : binding.errorName(-number);
    if (regexpTest(/^[A-Z]/, name) && !stringStartsWith.call(name, 'Unknown')) arrayPush.call(found, [-number, [name, binding.errorText(-number)]]);
  }
  const rank = ({ 1: { 0: name } }) => arrayIndexOf.call(late, name);
  arraySort.call(found, (a, b) => rank(a) - rank(b) || (a[1][0] < b[1][0] ? -1 : 1));
  return new GenuineMap(found);
}

function getSystemErrorName(err) {
  errors.validateNumber(err, 'err');
  if (err >= 0 || !NumberIsSafeInteger(err)) throw errors.outOfRange('err', 'a negative integer', err);
  return binding.errorName(err);
}

// By ECMA-48: a command with a text up to its end (a title, a link, ...), a control sequence with
// its parameters, any other escape.
const CONTROL = new RegExp(arrayJoin.call([
  '(?:\\u001b[P\\]X^_]|[\\u0090\\u009d])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)',
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
  '\\u001b[ -/]*[0-Z\\\\^-~]',
], '|'), 'g');

// "6 Nov 09:05:01"
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
function logTime(date) {
  const clock = arrayMap.call([dateGetHours.call(date), dateGetMinutes.call(date), dateGetSeconds.call(date)], (part) => stringPadStart.call(`${part}`, 2, '0'));
  return `${dateGetDate.call(date)} ${MONTHS[dateGetMonth.call(date)]} ${arrayJoin.call(clock, ':')}`;
}

const util = {
  _errnoException: (...args) => require('internal/net/util').errnoException(...over(args)),
  _exceptionWithHostPort: (...args) => require('internal/net/util').addressException(...over(args)),
  _extend: (target, source) => source === null || typeof source !== 'object' ? target : Object.assign(target, source),
  callbackify,
  debug: debuglog,
  debuglog,
  deprecate,
  format,
  formatWithOptions,
  styleText,
  getSystemErrorMap,
  getSystemErrorName,
  inherits,
  inspect,
  isArray: ArrayIsArray,
  isBoolean: (value) => typeof value === 'boolean',
  isBuffer: (value) => require('buffer').Buffer.isBuffer(value),
  isDeepStrictEqual: (a, b) => require('internal/equal').deepEqual(a, b, true),
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value == null,
  isNumber: (value) => typeof value === 'number',
  isString: (value) => typeof value === 'string',
  isSymbol: (value) => typeof value === 'symbol',
  isUndefined: (value) => value === undefined,
  isRegExp: kinds.isRegExp,
  isObject: (value) => value !== null && typeof value === 'object',
  isDate: kinds.isDate,
  isError: kinds.isNativeError,
  isFunction: (value) => typeof value === 'function',
  isPrimitive: (value) => value === null || typeof value !== 'object' && typeof value !== 'function',
  log: (...args) => require('internal/console').log('%s - %s', logTime(new Date()), Reflect.apply(format, undefined, args)),
  parseArgs: (...args) => require('internal/parse_args').parseArgs(...over(args)),
  promisify,
  parseEnv: (content) => require('internal/env_file').parseEnv(content),
  stripVTControlCharacters(text) {
    errors.validateString(text, 'str');
    return regexpReplace(CONTROL, text, '');
  },
  toUSVString: (text) => `${text}`.toWellFormed?.() ?? `${text}`,
  async aborted(signal, resource) {
    if (signal === undefined) throw errors.invalidArgType('signal', 'an instance of AbortSignal', signal);
    errors.validateAbortSignal(signal, 'signal');
    if (resource === null || typeof resource !== 'object' && typeof resource !== 'function')
      throw errors.invalidArgType('resource', 'of type object', resource);
    if (signal.aborted) return undefined;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  },
  // There is no other thread to which they could be transferred.
  transferableAbortController: () => new (require('internal/abort_signal').AbortController)(),
  transferableAbortSignal(signal) {
    if (signal === undefined) throw errors.invalidArgType('signal', 'an instance of AbortSignal', signal);
    errors.validateAbortSignal(signal, 'signal');
    return signal;
  },
  types: kinds,
};
for (const name of over(['MIMEType', 'MIMEParams']))
  util[name] = () => {
    throw errors.notImplemented(`util.${name}`);
  };
for (const name of over(['TextDecoder', 'TextEncoder']))
  Object.defineProperty(util, name, { __proto__: null, get: () => require('internal/encoding')[name], enumerable: true, configurable: true });
// inspect uses withoutColors to compute widths.
Object.defineProperty(util, 'withoutColors', { __proto__: null, value: withoutColors, enumerable: false });

module.exports = util;
