'use strict';
// util as Node 20 has it. Printing is in internal/inspect.

const { inspect, format, formatWithOptions, withoutColors } = require('internal/inspect');
const kinds = require('internal/kinds');
const errors = require('internal/errors');
const binding = native('process');

const kCustom = Symbol.for('nodejs.util.promisify.custom');

function promisify(original) {
  errors.validateFunction(original, 'original');
  if (original[kCustom]) {
    const made = original[kCustom];
    errors.validateFunction(made, 'util.promisify.custom');
    return Object.defineProperty(made, kCustom, { value: made, enumerable: false, writable: false, configurable: true });
  }
  const names = original[promisify.names];
  function fn(...args) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (error, ...values) => {
        if (error) return reject(error);
        if (names !== undefined && values.length > 1)
          return resolve(Object.fromEntries(names.map((name, index) => [name, values[index]])));
        resolve(values[0]);
      });
    });
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  Object.defineProperty(fn, kCustom, { value: fn, enumerable: false, writable: false, configurable: true });
  return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = kCustom;
// Names for callbacks with several values, as (err, stdout, stderr) of exec.
promisify.names = Symbol('names');

function callbackify(original) {
  errors.validateFunction(original, 'original');
  function callbackified(...args) {
    const callback = args.pop();
    errors.validateFunction(callback, 'last argument');
    original.apply(this, args).then(
      (value) => process.nextTick(callback, null, value),
      (reason) => {
        if (!reason) {
          const error = errors.coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
          error.reason = reason;
          reason = error;
        }
        process.nextTick(callback, reason);
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
  let warned = false;
  function deprecated(...args) {
    if (!warned) {
      warned = true;
      if (code === undefined || !warnedCodes.has(code)) {
        warnedCodes.add(code);
        process.emitWarning(message, 'DeprecationWarning', code);
      }
    }
    return new.target ? Reflect.construct(fn, args, new.target) : fn.apply(this, args);
  }
  Object.setPrototypeOf(deprecated, fn);
  if (fn.prototype) deprecated.prototype = fn.prototype;
  return deprecated;
}

function inherits(constructor, parent) {
  errors.validateFunction(constructor, 'ctor');
  errors.validateFunction(parent, 'superCtor');
  if (parent.prototype === undefined)
    throw errors.invalidArgType('superCtor.prototype', 'of type object', parent.prototype);
  Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

function debuglog(section, callback) {
  const wanted = (process.env.NODE_DEBUG ?? '').toUpperCase().split(',');
  const enabled = wanted.some((name) =>
    new RegExp(`^${name.trim().split('*').map((part) => part.replace(/\W/g, '\\$&')).join('.*')}$`).test(section.toUpperCase()));
  const log = enabled ?
    (...args) => native('stdio').write(2, `${section.toUpperCase()} ${process.pid}: ${format(...args)}\n`) : () => {};
  log.enabled = enabled;
  if (callback !== undefined) callback(log);
  return log;
}

function styleText(style, text) {
  let before = '';
  let after = '';
  for (const name of Array.isArray(style) ? style : [style]) {
    const color = inspect.colors[name];
    if (color === undefined) throw errors.invalidArgValue('format', name);
    before += `\u001b[${color[0]}m`;
    after = `\u001b[${color[1]}m${after}`;
  }
  return `${before}${text}${after}`;
}

const util = {
  _errnoException: (...args) => require('internal/net/util').errnoException(...args),
  _exceptionWithHostPort: (...args) => require('internal/net/util').addressException(...args),
  _extend: (target, source) => source === null || typeof source !== 'object' ? target : Object.assign(target, source),
  callbackify,
  debug: debuglog,
  debuglog,
  deprecate,
  format,
  formatWithOptions,
  styleText,
  getSystemErrorName: (err) => binding.errorName(err),
  inherits,
  inspect,
  isArray: Array.isArray,
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
  log: (...args) => console.log('%s - %s', new Date().toLocaleString(), format(...args)),
  parseArgs: (...args) => require('internal/parse_args').parseArgs(...args),
  promisify,
  stripVTControlCharacters: (text) =>
    text.replace(/[\u001b\u009b][[\]()#;?]*(?:(?:(?:[a-zA-Z\d]*(?:;[a-zA-Z\d]*)*)?\u0007)|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~]))/g, ''),
  toUSVString: (text) => `${text}`.toWellFormed?.() ?? `${text}`,
  async aborted(signal, resource) {
    if (signal === undefined) throw errors.invalidArgType('signal', 'an instance of AbortSignal', signal);
    errors.validateAbortSignal(signal, 'signal');
    if (resource === null || typeof resource !== 'object' && typeof resource !== 'function')
      throw errors.invalidArgType('resource', 'of type object', resource);
    if (signal.aborted) return undefined;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  },
  types: kinds,
};
for (const name of ['parseEnv', 'MIMEType', 'MIMEParams', 'transferableAbortController',
  'transferableAbortSignal', 'getSystemErrorMap'])
  util[name] = () => {
    throw errors.notImplemented(`util.${name}`);
  };
for (const name of ['TextDecoder', 'TextEncoder'])
  Object.defineProperty(util, name, { get: () => require('internal/encoding')[name], enumerable: true, configurable: true });
// withoutColors is what inspect uses for widths.
Object.defineProperty(util, 'withoutColors', { value: withoutColors, enumerable: false });

module.exports = util;
