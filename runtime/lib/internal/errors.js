'use strict';
// Errors with Node's codes and words.

const { ArrayIsArray, NumberIsInteger, over, regexpReplace, stringEndsWith, stringIncludes, stringSlice } = intrinsics;
const inspect = (...args) => require('internal/inspect').inspect(...over(args));

// How a value that was refused is told, by its type.
const TELL = {
  undefined: () => 'undefined',
  function: (value) => `function ${value.name}`,
  object: (value) => value === null ? 'null' : value.constructor?.name ?
    `an instance of ${value.constructor.name}` : inspect(value, { depth: -1 }),
};

function tellType(value) {
  const text = inspect(value, { colors: false });
  return `type ${typeof value} (${text.length > 28 ? `${stringSlice.call(text, 0, 25)}...` : text})`;
}

const describe = (value) => ` Received ${(TELL[typeof value] ?? tellType)(value)}`;

// The name stays that of the class ("TypeError"), the code shows in the stack's first
// line, as in Node: TypeError [ERR_X]: message. Only errors of ours are marked so.
const { kOurs } = require('internal/tools');

function coded(Base, code, message) {
  const error = new Base(message);
  Object.defineProperty(error, kOurs, { __proto__: null, value: true });
  Object.defineProperty(error, 'code', { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
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

// what: 'The "name" argument', 'The "a" and "b" arguments'
function missingArgs(what) {
  return coded(TypeError, 'ERR_MISSING_ARGS', `${what} must be specified`);
}

// Numbers of more than 32 bits are told with their digits in groups of three.
function rangeText(value) {
  const big = typeof value === 'bigint';
  if (!(big || NumberIsInteger(value)) || (value <= 2 ** 32 && value >= -(2 ** 32))) return inspect(value);
  return regexpReplace(/\B(?=(\d{3})+$)/g, String(value), '_') + (big ? 'n' : '');
}

// An encoding may be anything; it is told as %s of util.format tells it.
function unknownEncoding(encoding) {
  const text = typeof encoding === 'string' ? encoding : require('internal/format').format('%s', encoding);
  return coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${text}`);
}

function outOfRange(name, range, value) {
  const rule = `The value of "${name}" is out of range. It must be ${range}.`;
  return coded(RangeError, 'ERR_OUT_OF_RANGE', `${rule} Received ${rangeText(value)}`);
}

// A check throws unless the value is of the type that it is named after.
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

function validateAbortSignal(signal, name) {
  if (signal === undefined || (isObject(signal) && 'aborted' in signal)) return;
  throw invalidArgType(name, 'an instance of AbortSignal', signal);
}

class AbortError extends Error {
  constructor(message = 'The operation was aborted', options) {
    Object.assign(super(message, options), { code: 'ABORT_ERR', name: 'AbortError' });
  }
}

// Why something ended early: its signal was aborted.
const abortedBy = (signal) => new AbortError(undefined, { cause: signal.reason });

// What a module doesn't have says so by name.
function notImplemented(name) {
  return coded(Error, 'ERR_FEATURE_UNAVAILABLE', `${name} is not available in rondo`);
}

module.exports = {
  AbortError,
  abortedBy,
  coded,
  describe,
  invalidArgType,
  invalidArgValue,
  missingArgs,
  notImplemented,
  outOfRange,
  unknownEncoding,
  validateAbortSignal,
  validateBoolean,
  validateFunction,
  validateInteger,
  validateNumber,
  validateObject,
  validateString,
  // uvError(errno, syscall, path, dest): the Error that Node makes of a failed call.
  uvError: (...args) => native('process').uvError(...over(args)),
};
