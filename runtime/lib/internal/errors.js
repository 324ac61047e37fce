'use strict';
// Errors with Node's codes and words.

const {
  ArrayBufferIsView, ArrayIsArray, NumberIsInteger, arrayIncludes, arrayJoin, arrayMap, over, regexpReplace,
  stringEndsWith, stringIncludes, stringSlice,
} = intrinsics;
const inspect = (...args) => require('internal/inspect').inspect(...over(args));

// How a refused value is described, by its type.
const DESCRIBE = {
  undefined: () => 'undefined',
  function: (value) => `function ${value.name}`,
  object: (value) => value === null ? 'null' : value.constructor?.name ?
    `an instance of ${value.constructor.name}` : inspect(value, { depth: -1 }),
};

function describeType(value) {
  const text = inspect(value, { colors: false });
  return `type ${typeof value} (${text.length > 28 ? `${stringSlice.call(text, 0, 25)}...` : text})`;
}

const describe = (value) => ` Received ${(DESCRIBE[typeof value] ?? describeType)(value)}`;

// The name stays that of the class ("TypeError"), the code shows in the stack's first line and in
// String(error), as in Node: TypeError [ERR_X]: message. Only errors made here are marked so, by a
// prototype that errors of one class and code share.
const { kOurs } = require('internal/tools');
const prototypes = new Map(); // class → code → prototype

function prototypeOf(Base, code) {
  let byCode = prototypes.get(Base);
  if (byCode === undefined) prototypes.set(Base, byCode = { __proto__: null });
  return byCode[code] ??= Object.create(Base.prototype, {
    [kOurs]: { __proto__: null, value: true },
    toString: {
      __proto__: null,
      value() {
        return `${this.name} [${code}]: ${this.message}`;
      },
      writable: true,
      configurable: true,
    },
  });
}

function coded(Base, code, message) {
  const error = Object.setPrototypeOf(new Base(message), prototypeOf(Base, code));
  Object.defineProperty(error, 'code', { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
  return error;
}

// A failed system call: `words` says what it was doing, and info has some of { code, message, path,
// dest, syscall, errno }.
function systemError(code, words, info) {
  const { errno, syscall, path, dest } = info;
  let message = `${words}: ${syscall} returned ${info.code} (${info.message})`;
  if (path !== undefined) message += ` ${path}`;
  if (dest !== undefined) message += ` => ${dest}`;
  const error = coded(Error, code, message);
  Object.defineProperty(error, 'name', { __proto__: null, value: 'SystemError', writable: true, configurable: true });
  Object.assign(error, { info, errno, syscall });
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}

function invalidArgType(name, expected, value) {
  const what = stringEndsWith.call(name, ' argument') ? `The ${name}` :
    `The "${name}" ${stringIncludes.call(name, '.') ? 'property' : 'argument'}`;
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `${what} must be ${expected}.${describe(value)}`);
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let text = inspect(value);
  if (text.length > 128) text = `${stringSlice.call(text, 0, 128)}...`;
  const kind = stringIncludes.call(name, '.') ? 'property' : 'argument';
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${kind} '${name}' ${reason}. Received ${text}`);
}

// For the return value of one of the program's functions.
function invalidReturnValue(expected, name, value) {
  const got = stringSlice.call(describe(value), ' Received '.length);
  return coded(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected ${expected} to be returned from the "${name}" function but got ${got}.`);
}

// A value in an error's message, formatted as by %s of util.format.
const shown = (value) => typeof value === 'string' ? value : require('internal/format').format('%s', value);

const unknownSignal = (signal) => coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${shown(signal)}`);
const invalidAddress = (address) => coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${shown(address)}`);

// what: 'The "name" argument', 'The "a" and "b" arguments'
function missingArgs(what) {
  return coded(TypeError, 'ERR_MISSING_ARGS', `${what} must be specified`);
}

// Numbers of more than 32 bits are shown with digits in groups of three.
function rangeText(value) {
  const big = typeof value === 'bigint';
  if (!(big || NumberIsInteger(value)) || (value <= 2 ** 32 && value >= -(2 ** 32))) return inspect(value);
  return regexpReplace(/\B(?=(\d{3})+$)/g, String(value), '_') + (big ? 'n' : '');
}

// An encoding may be any value; it is shown as by %s of util.format.
function unknownEncoding(encoding) {
  return coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${shown(encoding)}`);
}

function outOfRange(name, range, value) {
  const rule = `The value of "${name}" is out of range. It must be ${range}.`;
  return coded(RangeError, 'ERR_OUT_OF_RANGE', `${rule} Received ${rangeText(value)}`);
}

// Makes a check that throws unless the value has the given type.
const checkOf = (type) => (value, name) => {
  if (typeof value !== type) throw invalidArgType(name, `of type ${type}`, value);
};
const validateBoolean = checkOf('boolean');
const validateFunction = checkOf('function');
const validateNumber = checkOf('number');
const validateString = checkOf('string');

const isObject = (value) => typeof value === 'object' && value !== null;

function validateObject(value, name) {
  if (!isObject(value) || ArrayIsArray(value)) throw invalidArgType(name, 'of type object', value);
}

function validateInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  validateNumber(value, name);
  const whole = NumberIsInteger(value);
  if (whole && min <= value && value <= max) return;
  throw outOfRange(name, whole ? `>= ${min} && <= ${max}` : 'an integer', value);
}

const validateInt32 = (value, name, min = -(2 ** 31), max = 2 ** 31 - 1) => validateInteger(value, name, min, max);
const validateUint32 = (value, name, positive = false) => validateInteger(value, name, positive ? 1 : 0, 2 ** 32 - 1);

// Each item is checked with check(item, 'name[3]').
function validateArray(value, name, { least = 0, check } = {}) {
  if (!ArrayIsArray(value)) throw invalidArgType(name, 'an instance of Array', value);
  if (value.length < least) throw invalidArgValue(name, value, `must be longer than ${least}`);
  if (check !== undefined) for (let i = 0; i < value.length; i++) check(value[i], `${name}[${i}]`);
}

function validateOneOf(value, name, allowed) {
  if (arrayIncludes.call(allowed, value)) return;
  const list = arrayJoin.call(arrayMap.call(allowed, (each) => typeof each === 'string' ? `'${each}'` : String(each)), ', ');
  throw invalidArgValue(name, value, `must be one of: ${list}`);
}

function validateBuffer(value, name = 'buffer') {
  if (!ArrayBufferIsView(value)) throw invalidArgType(name, 'an instance of Buffer, TypedArray, or DataView', value);
}

// checkFields(options, 'options', { signal: validateAbortSignal, size: validateUint32 }): fields
// that are undefined, or for which `isGiven` is false, are not checked.
function checkFields(object, name, checks, isGiven = isDefined) {
  for (const field of over(Object.keys(checks))) {
    const check = checks[field];
    if (isGiven(object[field])) check(object[field], `${name}.${field}`);
  }
}
const isDefined = (value) => value !== undefined;

function validateAbortSignal(signal, name) {
  if (signal === undefined || (isObject(signal) && 'aborted' in signal)) return;
  throw invalidArgType(name, 'an instance of AbortSignal', signal);
}

class AbortError extends Error {
  constructor(message = 'The operation was aborted', options) {
    Object.assign(super(message, options), { code: 'ABORT_ERR', name: 'AbortError' });
  }
}

// The error for an operation that ended because its signal was aborted.
const abortedBy = (signal) => new AbortError(undefined, { cause: signal.reason });

// The file of the program whose code is running; undefined if none is.
function asking() {
  const { frames, isOurs } = require('internal/stack');
  for (const frame of over(frames(require('internal/engine').rawStack(asking))))
    if (!isOurs(frame) && frame.file !== '[native code]') return frame.file;
  return undefined;
}

// The error for something that a module lacks. from: the file that asks for it.
function notImplemented(name, from = asking()) {
  return coded(Error, 'ERR_FEATURE_UNAVAILABLE', `${name} is not available in rondo${from ? ` (asked for by ${from})` : ''}`);
}

module.exports = {
  AbortError,
  abortedBy,
  checkFields,
  coded,
  describe,
  invalidAddress,
  invalidArgType,
  invalidArgValue,
  invalidReturnValue,
  missingArgs,
  notImplemented,
  outOfRange,
  shown,
  systemError,
  unknownEncoding,
  unknownSignal,
  validateAbortSignal,
  validateArray,
  validateBoolean,
  validateBuffer,
  validateFunction,
  validateInt32,
  validateInteger,
  validateNumber,
  validateObject,
  validateOneOf,
  validateString,
  validateUint32,
  // uvError(errno, syscall, path, dest): the Error that Node makes of a failed call.
  uvError: (...args) => native('process').uvError(...over(args)),
};
