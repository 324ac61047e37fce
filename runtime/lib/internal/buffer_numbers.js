'use strict';
// Numbers in a Buffer: readInt16LE, writeDoubleBE and the like, made from a table. Integers up to
// six bytes are assembled byte by byte; floating-point numbers go through two views of the same
// eight bytes.

const { over, stringIncludes, stringReplace } = intrinsics;
const { coded, invalidArgType, outOfRange, validateNumber } = require('internal/errors');

const view = new Uint8Array(8);
const floats = new Float32Array(view.buffer);
const doubles = new Float64Array(view.buffer);

// --- checks -------------------------------------------------------------------------------------

function refuseOffset(offset, last) {
  validateNumber(offset, 'offset');
  if (Math.floor(offset) !== offset) throw outOfRange('offset', 'an integer', offset);
  if (last < 0) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  throw outOfRange('offset', `>= 0 and <= ${last}`, offset);
}

function checkOffset(buffer, offset, size) {
  const last = buffer.length - size;
  if (!(typeof offset === 'number' && offset >= 0 && offset <= last && Math.floor(offset) === offset)) refuseOffset(offset, last);
}

function checkSize(size) {
  if (size === 1 || size === 2 || size === 3 || size === 4 || size === 5 || size === 6) return;
  validateNumber(size, 'byteLength');
  if (Math.floor(size) !== size) throw outOfRange('byteLength', 'an integer', size);
  throw outOfRange('byteLength', '>= 1 and <= 6', size);
}

// The range of integers of that many bytes, and its text for errors.
function rangeOf(size, isSigned) {
  const bits = 8 * size - (isSigned ? 1 : 0);
  const min = isSigned ? -(2 ** bits) : 0;
  const max = 2 ** bits - 1;
  if (size <= 4) return { min, max, text: `>= ${min} and <= ${max}` };
  return { min, max, text: `>= ${isSigned ? `-(2 ** ${bits})` : 0} and < 2 ** ${bits}` };
}

const ranges = { signed: [], unsigned: [] };
for (let size = 1; size <= 6; size++) {
  ranges.signed[size] = rangeOf(size, true);
  ranges.unsigned[size] = rangeOf(size, false);
}
const bigRanges = {
  signed: { min: -(2n ** 63n), max: 2n ** 63n - 1n, text: '>= -(2n ** 63n) and < 2n ** 63n' },
  unsigned: { min: 0n, max: 2n ** 64n - 1n, text: '>= 0n and < 2n ** 64n' },
};

function checkValue(value, range) {
  if (value > range.max || value < range.min) throw outOfRange('value', range.text, value);
}

// --- whole numbers --------------------------------------------------------------------------------

function getWhole(buffer, offset, size, isBig) {
  let value = 0;
  if (isBig) for (let i = 0; i < size; i++) value = value * 256 + buffer[offset + i];
  else for (let i = size - 1; i >= 0; i--) value = value * 256 + buffer[offset + i];
  return value;
}

function putWhole(buffer, value, offset, size, isBig) {
  for (let i = 0; i < size; i++) {
    buffer[isBig ? offset + size - 1 - i : offset + i] = value; // its lowest byte
    value = Math.floor(value / 256);
  }
  return offset + size;
}

const signOf = (value, size) => value < 2 ** (8 * size - 1) ? value : value - 2 ** (8 * size);

function reader(size, isSigned, isBig) {
  return function (offset = 0) {
    checkOffset(this, offset, size);
    const value = size === 1 ? this[offset] : getWhole(this, offset, size, isBig);
    return isSigned ? signOf(value, size) : value;
  };
}

function writer(size, isSigned, isBig) {
  const range = ranges[isSigned ? 'signed' : 'unsigned'][size];
  return function (value, offset = 0) {
    value = +value;
    checkValue(value, range);
    checkOffset(this, offset, size);
    return putWhole(this, Math.trunc(value) || 0, offset, size, isBig);
  };
}

// readIntLE and the like, which take the number of bytes.
function sizedReader(isSigned, isBig) {
  return function (offset, byteLength) {
    if (offset === undefined) throw invalidArgType('offset', 'of type number', offset);
    checkSize(byteLength);
    checkOffset(this, offset, byteLength);
    const value = getWhole(this, offset, byteLength, isBig);
    return isSigned ? signOf(value, byteLength) : value;
  };
}

function sizedWriter(isSigned, isBig) {
  return function (value, offset, byteLength) {
    checkSize(byteLength);
    value = +value;
    checkValue(value, ranges[isSigned ? 'signed' : 'unsigned'][byteLength]);
    if (offset === undefined) throw invalidArgType('offset', 'of type number', offset);
    checkOffset(this, offset, byteLength);
    return putWhole(this, Math.trunc(value) || 0, offset, byteLength, isBig);
  };
}

function bigReader(isSigned, isBig) {
  return function (offset = 0) {
    checkOffset(this, offset, 8);
    const low = getWhole(this, isBig ? offset + 4 : offset, 4, isBig);
    const high = getWhole(this, isBig ? offset : offset + 4, 4, isBig);
    return (BigInt(isSigned ? signOf(high, 4) : high) << 32n) + BigInt(low);
  };
}

function bigWriter(isSigned, isBig) {
  const range = bigRanges[isSigned ? 'signed' : 'unsigned'];
  return function (value, offset = 0) {
    checkValue(value, range);
    if (typeof value !== 'bigint') throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
    checkOffset(this, offset, 8);
    putWhole(this, Number(value & 0xffffffffn), isBig ? offset + 4 : offset, 4, isBig);
    putWhole(this, Number(value >> 32n & 0xffffffffn), isBig ? offset : offset + 4, 4, isBig);
    return offset + 8;
  };
}

// --- floating-point numbers -----------------------------------------------------------------------

function floatReader(numbers, size, isBig) {
  return function (offset = 0) {
    checkOffset(this, offset, size);
    for (let i = 0; i < size; i++) view[i] = this[isBig ? offset + size - 1 - i : offset + i];
    return numbers[0];
  };
}

function floatWriter(numbers, size, isBig) {
  return function (value, offset = 0) {
    value = +value;
    checkOffset(this, offset, size);
    numbers[0] = value;
    for (let i = 0; i < size; i++) this[isBig ? offset + size - 1 - i : offset + i] = view[i];
    return offset + size;
  };
}

// --- the methods ----------------------------------------------------------------------------------

const methods = { __proto__: null };

function add(name, order, read, write) {
  for (const action of over(['read', 'write'])) {
    const method = action === 'read' ? read : write;
    Object.defineProperty(method, 'name', { __proto__: null, value: `${action}${name}${order}`, configurable: true });
    methods[`${action}${name}${order}`] = method;
    // Both spellings are Node's.
    if (stringIncludes.call(name, 'UInt')) methods[`${action}${stringReplace.call(name, 'UInt', 'Uint')}${order}`] = method;
  }
}

for (const isSigned of over([false, true])) {
  const name = isSigned ? 'Int' : 'UInt';
  add(`${name}8`, '', reader(1, isSigned, false), writer(1, isSigned, false));
  for (const order of over(['LE', 'BE'])) {
    const isBig = order === 'BE';
    add(name, order, sizedReader(isSigned, isBig), sizedWriter(isSigned, isBig));
    for (const size of over([2, 4])) add(`${name}${8 * size}`, order, reader(size, isSigned, isBig), writer(size, isSigned, isBig));
    add(`Big${name}64`, order, bigReader(isSigned, isBig), bigWriter(isSigned, isBig));
  }
}
for (const order of over(['LE', 'BE'])) {
  add('Float', order, floatReader(floats, 4, order === 'BE'), floatWriter(floats, 4, order === 'BE'));
  add('Double', order, floatReader(doubles, 8, order === 'BE'), floatWriter(doubles, 8, order === 'BE'));
}

module.exports = methods;
