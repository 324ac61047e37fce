'use strict';
// What Node's Buffer refuses, and in which words. The package's methods do the work.

const { coded, invalidArgType, outOfRange, unknownEncoding, validateInteger, validateNumber, validateString } = require('internal/errors');

const isBytes = (value) => value instanceof Uint8Array;
const bytes = 'an instance of Buffer or Uint8Array';

// --- numbers ------------------------------------------------------------------------------------

function refuseOffset(offset, last) {
  validateNumber(offset, 'offset');
  if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset);
  if (last < 0) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  throw outOfRange('offset', `>= 0 and <= ${last}`, offset);
}

function checkOffset(buffer, offset, size) {
  const last = buffer.length - size;
  if (!(offset >= 0 && offset <= last && Number.isInteger(offset))) refuseOffset(offset, last);
}

function checkSize(size) {
  validateNumber(size, 'byteLength');
  if (!Number.isInteger(size)) throw outOfRange('byteLength', 'an integer', size);
  if (size < 1 || size > 6) throw outOfRange('byteLength', '>= 1 and <= 6', size);
}

// The range of whole numbers of so many bytes, and how it is written.
function rangeOf(size, signed) {
  const bits = 8 * size - (signed ? 1 : 0);
  const min = signed ? -(2 ** bits) : 0;
  const max = 2 ** bits - 1;
  if (size <= 4) return { min, max, text: `>= ${min} and <= ${max}` };
  return { min, max, text: `>= ${signed ? `-(2 ** ${bits})` : 0} and < 2 ** ${bits}` };
}
const ranges = { true: {}, false: {} };
for (const signed of [true, false]) for (let size = 1; size <= 6; size++) ranges[signed][size] = rangeOf(size, signed);

function checkValue(value, range) {
  if (value > range.max || value < range.min) throw outOfRange('value', range.text, value);
}

const bigRanges = {
  true: { min: -(2n ** 63n), max: 2n ** 63n - 1n, text: '>= -(2n ** 63n) and < 2n ** 63n' },
  false: { min: 0n, max: 2n ** 64n - 1n, text: '>= 0n and < 2n ** 64n' },
};

const shape = /^(read|write)(BigU?[Ii]nt64|U?[Ii]nt(?:8|16|32)?|Float|Double)(LE|BE)?$/;
const sizes = { 8: 1, 16: 2, 32: 4, 64: 8, Float: 4, Double: 8 };

function checkedNumber(name, work) {
  const [, action, kind] = shape.exec(name);
  const signed = !/U[Ii]nt/.test(kind);
  const size = sizes[/\d+$/.exec(kind)?.[0] ?? kind];
  if (size === undefined) {
    // readIntLE and its like, which are told how many bytes.
    if (action === 'read')
      return function (offset, length) {
        checkSize(length);
        checkOffset(this, offset, length);
        return work.call(this, offset, length);
      };
    return function (value, offset, length) {
      value = +value;
      checkSize(length);
      checkValue(value, ranges[signed][length]);
      checkOffset(this, offset, length);
      return work.call(this, value, offset, length);
    };
  }
  if (action === 'read')
    return function (offset = 0) {
      checkOffset(this, offset, size);
      return work.call(this, offset);
    };
  const range = kind.startsWith('Big') ? bigRanges[signed] : /[Ii]nt/.test(kind) ? ranges[signed][size] : undefined;
  return function (value, offset = 0) {
    if (!kind.startsWith('Big')) value = +value;
    else if (typeof value !== 'bigint') throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
    if (range !== undefined) checkValue(value, range);
    checkOffset(this, offset, size);
    return work.call(this, value, offset);
  };
}

// --- the rest -----------------------------------------------------------------------------------

const named = (name, call) => Object.defineProperty(call, 'name', { value: name, configurable: true });

function replace(object, name, make) {
  object[name] = named(name, make(object[name]));
}

function guard(Buffer) {
  const { prototype } = Buffer;
  for (const name of Object.getOwnPropertyNames(prototype))
    if (shape.test(name)) replace(prototype, name, (work) => checkedNumber(name, work));
  replace(prototype, 'equals', (work) => function (other) {
    if (!isBytes(other)) throw invalidArgType('otherBuffer', bytes, other);
    return work.call(this, other);
  });
  replace(prototype, 'compare', (work) => function (target, ...where) {
    if (!isBytes(target)) throw invalidArgType('target', bytes, target);
    const limits = [['targetStart', undefined], ['targetEnd', target.length], ['sourceStart', undefined], ['sourceEnd', this.length]];
    limits.forEach(([name, max], index) => {
      if (where[index] !== undefined) validateInteger(where[index], name, 0, max);
    });
    return work.call(this, target, ...where);
  });
  replace(prototype, 'copy', (work) => function (target, targetStart = 0, sourceStart = 0, sourceEnd = this.length) {
    if (!isBytes(target)) throw invalidArgType('target', bytes, target);
    if (targetStart < 0) throw outOfRange('targetStart', '>= 0', targetStart);
    if (sourceStart < 0 || sourceStart > this.length)
      throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, sourceStart);
    if (sourceEnd < 0) throw outOfRange('sourceEnd', '>= 0', sourceEnd);
    return work.call(this, target, targetStart, sourceStart, sourceEnd);
  });
  for (const [name, size] of [['swap16', 16], ['swap32', 32], ['swap64', 64]])
    replace(prototype, name, (work) => function () {
      if (this.length % (size / 8) !== 0)
        throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${size}-bits`);
      return work.call(this);
    });
  replace(Buffer, 'compare', (work) => (first, second) => {
    if (!isBytes(first)) throw invalidArgType('buf1', bytes, first);
    if (!isBytes(second)) throw invalidArgType('buf2', bytes, second);
    return work.call(Buffer, first, second);
  });
  replace(Buffer, 'concat', (work) => (list, length) => {
    if (!Array.isArray(list)) throw invalidArgType('list', 'an instance of Array', list);
    list.forEach((item, index) => {
      if (!isBytes(item)) throw invalidArgType(`list[${index}]`, bytes, item);
    });
    if (length !== undefined) validateInteger(length, 'length', 0);
    return work.call(Buffer, list, length);
  });
}

function checkEncoding(Buffer, encoding) {
  validateString(encoding, 'encoding');
  if (!Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
}

// fill(value, offset, end, encoding), with what may be left out put in its place.
function fillArguments(buffer, value, offset, end, encoding) {
  if (typeof value === 'string') {
    if (typeof offset === 'string') [encoding, offset, end] = [offset, 0, buffer.length];
    else if (typeof end === 'string') [encoding, end] = [end, buffer.length];
    if ((encoding ?? '') !== '') checkEncoding(buffer.constructor, encoding);
    else encoding = 'utf8';
  }
  if (offset !== undefined) validateInteger(offset, 'offset', 0);
  if (end !== undefined) validateInteger(end, 'end', 0, buffer.length);
  const nothing = typeof value === 'string' && value !== '' && buffer.constructor.byteLength(value, encoding) === 0;
  const badHex = encoding === 'hex' && value !== '' && !/^[0-9a-f]{2}/i.test(value);
  if (nothing || badHex || isBytes(value) && value.length === 0)
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE',
      `The argument 'value' is invalid. Received ${require('internal/inspect').inspect(value)}`);
  return [value, offset, end, encoding];
}

module.exports = { fillArguments, guard };
