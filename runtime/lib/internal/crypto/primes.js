'use strict';
// Prime numbers, as bytes or as BigInt.

const { bigintToString, stringPadStart } = intrinsics;
const { Buffer } = require('buffer');
const { invalidArgType, outOfRange, validateBoolean, validateFunction, validateInt32, validateObject } = require('internal/errors');
const { call, callAsJob, callLater, isBytes } = require('internal/crypto/library');
const { bigintOf } = require('internal/crypto/key_object');

const TYPES = 'of type bigint or an instance of ArrayBuffer, TypedArray, Buffer, or DataView';

// Bytes of a number that is given either way.
function numberBytes(value, name) {
  if (typeof value !== 'bigint') {
    if (!isBytes(value)) throw invalidArgType(name, TYPES, value);
    return value;
  }
  if (value < 0n) throw outOfRange(name, '>= 0', value);
  const hex = bigintToString.call(value, 16);
  return Buffer.from(stringPadStart.call(hex, hex.length + hex.length % 2, '0'), 'hex');
}

const optionBytes = (value, name) => value === undefined ? undefined : numberBytes(value, name);

// [bits, safe, add, rem], and how the answer is given
function forPrime(size, options) {
  validateInt32(size, 'size', 1);
  validateObject(options, 'options');
  const { safe = false, bigint = false } = options;
  validateBoolean(safe, 'options.safe');
  validateBoolean(bigint, 'options.bigint');
  const add = optionBytes(options.add, 'options.add');
  const rem = optionBytes(options.rem, 'options.rem');
  call('primeLimits', size, add, rem);
  return { what: [size, safe, add, rem], give: (bytes) => bigint ? bigintOf(bytes) : bytes.buffer };
}

function generatePrime(size, options, callback) {
  validateInt32(size, 'size', 1);
  if (typeof options === 'function') {
    callback = options;
    options = {};
  }
  validateFunction(callback, 'callback');
  const { what, give } = forPrime(size, options);
  callLater('primeMake', what, (error, bytes) => {
    if (error) callback(error);
    else callback(undefined, give(bytes));
  });
}

function generatePrimeSync(size, options = {}) {
  const { what, give } = forPrime(size, options);
  return give(callAsJob('primeMake', what));
}

function forCheck(candidate, options) {
  const bytes = numberBytes(candidate, 'candidate');
  validateObject(options, 'options');
  const { checks = 0 } = options;
  validateInt32(checks, 'options.checks', 0);
  return [bytes, checks];
}

function checkPrime(candidate, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = {};
  }
  numberBytes(candidate, 'candidate');
  validateFunction(callback, 'callback');
  callLater('primeCheck', forCheck(candidate, options), callback);
}

const checkPrimeSync = (candidate, options = {}) => callAsJob('primeCheck', forCheck(candidate, options));

module.exports = { checkPrime, checkPrimeSync, generatePrime, generatePrimeSync };
