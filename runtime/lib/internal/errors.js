'use strict';
// Errors with Node's codes and words.

function describe(value) {
  if (value == null) return ` Received ${value}`;
  if (typeof value === 'function') return ` Received function ${value.name}`;
  if (typeof value === 'object') {
    if (value.constructor && value.constructor.name) return ` Received an instance of ${value.constructor.name}`;
    return ` Received ${require('internal/inspect').inspect(value, { depth: -1 })}`;
  }
  let text = require('internal/inspect').inspect(value, { colors: false });
  if (text.length > 28) text = `${text.slice(0, 25)}...`;
  return ` Received type ${typeof value} (${text})`;
}

// The name stays that of the class ("TypeError"), the code shows in the stack's first
// line, as in Node: TypeError [ERR_X]: message. Only errors of ours are marked so.
const { kOurs } = require('internal/tools');

function coded(Base, code, message) {
  const error = new Base(message);
  Object.defineProperty(error, kOurs, { value: true });
  Object.defineProperty(error, 'code', { value: code, writable: true, enumerable: true, configurable: true });
  return error;
}

function invalidArgType(name, expected, value) {
  const what = name.endsWith(' argument') ? `The ${name}` :
    `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `${what} must be ${expected}.${describe(value)}`);
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let text = require('internal/inspect').inspect(value);
  if (text.length > 128) text = `${text.slice(0, 128)}...`;
  const kind = name.includes('.') ? 'property' : 'argument';
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${kind} '${name}' ${reason}. Received ${text}`);
}

// what: 'The "name" argument', 'The "a" and "b" arguments'
function missingArgs(what) {
  return coded(TypeError, 'ERR_MISSING_ARGS', `${what} must be specified`);
}

function outOfRange(name, range, value) {
  let received;
  const separated = () => String(value).replace(/\B(?=(\d{3})+$)/g, '_');
  if (Number.isInteger(value) && Math.abs(value) > 2 ** 32) received = separated();
  else if (typeof value === 'bigint' && (value > 2n ** 32n || value < -(2n ** 32n))) received = `${separated()}n`;
  else received = require('internal/inspect').inspect(value);
  return coded(RangeError, 'ERR_OUT_OF_RANGE',
    `The value of "${name}" is out of range. It must be ${range}. Received ${received}`);
}

function validateBoolean(value, name) {
  if (typeof value !== 'boolean') throw invalidArgType(name, 'of type boolean', value);
}

function validateFunction(value, name) {
  if (typeof value !== 'function') throw invalidArgType(name, 'of type function', value);
}

function validateString(value, name) {
  if (typeof value !== 'string') throw invalidArgType(name, 'of type string', value);
}

function validateObject(value, name) {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidArgType(name, 'of type object', value);
}

function validateNumber(value, name) {
  if (typeof value !== 'number') throw invalidArgType(name, 'of type number', value);
}

function validateInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw invalidArgType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

function validateAbortSignal(signal, name) {
  if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal)))
    throw invalidArgType(name, 'an instance of AbortSignal', signal);
}

class AbortError extends Error {
  constructor(message = 'The operation was aborted', options) {
    super(message, options);
    this.code = 'ABORT_ERR';
    this.name = 'AbortError';
  }
}

// What a module doesn't have says so by name.
function notImplemented(name) {
  return coded(Error, 'ERR_FEATURE_UNAVAILABLE', `${name} is not available in rondo`);
}

module.exports = {
  AbortError,
  coded,
  invalidArgType,
  invalidArgValue,
  missingArgs,
  notImplemented,
  outOfRange,
  validateAbortSignal,
  validateBoolean,
  validateFunction,
  validateInteger,
  validateNumber,
  validateObject,
  validateString,
  // uvError(errno, syscall, path, dest): the Error that Node makes of a failed call.
  uvError: (...args) => native('process').uvError(...args),
};
