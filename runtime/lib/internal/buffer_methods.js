'use strict';
// The methods of Buffer except numbers (internal/buffer_numbers) and searching
// (internal/buffer_find): text, copies, parts, comparisons.

const { SymbolFor, over, stringSlice, typedarrayFill, typedarraySet, typedarraySubarray } = intrinsics;
const binding = native('encoding');
const FastBuffer = require('internal/fast_buffer');
const { encodingOf, rows } = require('internal/buffer_encodings');
const { coded, invalidArgType, invalidArgValue, outOfRange, unknownEncoding, validateInteger, validateNumber, validateString } =
  require('internal/errors');

const inspectCustom = SymbolFor('nodejs.util.inspect.custom');
const BYTES = 'an instance of Buffer or Uint8Array';

const isBytes = (value) => value instanceof Uint8Array;

// Any value as a whole number, `otherwise` if it isn't a number.
function whole(value, otherwise) {
  const number = Math.trunc(+value);
  return number === number ? number : otherwise; // NaN
}

function rowOf(encoding) {
  const row = encodingOf(encoding);
  if (row === undefined) throw unknownEncoding(encoding);
  return row;
}

// --- text -----------------------------------------------------------------------------------------

function toString(encoding, start, end) {
  const { length } = this;
  if (arguments.length === 0) return rows.utf8.text(this, 0, length);
  const from = start > 0 ? whole(start, 0) : 0;
  if (from >= length) return '';
  const to = end === undefined || end > length ? length : whole(end, 0);
  if (to <= from) return '';
  return (encoding === undefined ? rows.utf8 : rowOf(encoding)).text(this, from, to);
}

function put(buffer, row, string, offset, length) {
  if (typeof string !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
  return row.write(string, buffer, offset, offset + length);
}

// write(string), write(string, encoding), write(string, offset[, length][, encoding])
function write(string, offset, length, encoding) {
  const size = this.length;
  if (offset === undefined) return put(this, rows.utf8, string, 0, size);
  if (length === undefined && typeof offset === 'string') return put(this, rowOf(offset), string, 0, size);
  validateInteger(offset, 'offset', 0, size);
  let room = size - offset;
  if (typeof length === 'string') {
    encoding = length;
  } else if (length !== undefined) {
    validateInteger(length, 'length', 0, size);
    room = Math.min(room, length);
  }
  return put(this, encoding ? rowOf(encoding) : rows.utf8, string, offset, room);
}

const MOST = 2 ** 32; // bytes of a buffer

// A bound for native code: 0 if it isn't a number.
function boundOf(value, most = MOST) {
  const number = Math.trunc(+value) || 0;
  if (number < 0 || number > most) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'Index out of range');
  return number;
}

// latin1Slice, hexWrite and so on: without the argument checks, but with errors for the bounds.
function addRaw(prototype, name, row) {
  const methods = {
    [`${name}Slice`](start = 0, end = this.length) {
      start = boundOf(start);
      end = boundOf(end);
      return start >= end ? '' : row.text(this, start, Math.min(end, this.length));
    },
    [`${name}Write`](string, offset = 0, length = this.length - offset) {
      offset = boundOf(offset, Infinity);
      if (offset > this.length)
        throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
      length = boundOf(length, Infinity);
      return put(this, row, string, offset, Math.min(length, this.length - offset));
    },
  };
  prototype[`${name}Slice`] = methods[`${name}Slice`];
  prototype[`${name}Write`] = methods[`${name}Write`];
}

// --- filling and copying --------------------------------------------------------------------------

const badFill = (value) => invalidArgValue('value', value);

// The bytes that a fill repeats.
function patternOf(value, encoding) {
  if (typeof value === 'number') return value & 255;
  if (typeof value === 'boolean') return +value;
  if (typeof value === 'string') {
    if (encoding != null && encoding !== '') validateString(encoding, 'encoding');
    const row = encoding == null || encoding === '' ? rows.utf8 : rowOf(encoding);
    if (value.length === 0) return 0;
    const bytes = new FastBuffer(row.lengthOf(value));
    const written = row.write(value, bytes, 0, bytes.length);
    if (written === 0) throw badFill(value);
    return written === 1 ? bytes[0] : typedarraySubarray.call(bytes, 0, written);
  }
  if (!isBytes(value)) return value & 255;
  if (value.length === 0) throw badFill(value);
  return value;
}

// fillBytes(buffer, value[, offset[, end]][, encoding])
function fillBytes(buffer, value, offset, end, encoding) {
  if (typeof value === 'string') {
    if (typeof offset === 'string') {
      encoding = offset;
      offset = end = undefined;
    } else if (typeof end === 'string') {
      encoding = end;
      end = undefined;
    }
  }
  const size = buffer.length;
  const pattern = patternOf(value, encoding);
  if (offset === undefined) {
    offset = 0;
    end = size;
  } else {
    validateInteger(offset, 'offset', 0, MOST);
    if (end === undefined) end = size;
    else validateInteger(end, 'end', 0, size);
  }
  if (offset >= end) return buffer;
  if (typeof pattern === 'number') return typedarrayFill.call(buffer, pattern, offset, end);
  // The pattern is written once; then the part already written is copied, doubling each time.
  let filled = Math.min(pattern.length, end - offset);
  typedarraySet.call(buffer, typedarraySubarray.call(asPlain(pattern), 0, filled), offset);
  while (filled < end - offset) {
    const more = Math.min(filled, end - offset - filled);
    typedarraySet.call(buffer, typedarraySubarray.call(asPlain(buffer), offset, offset + more), offset + filled);
    filled += more;
  }
  return buffer;
}

// A plain view, since subarray() calls the constructor of its object.
const asPlain = (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);

// Copies [start, end) as far as there is room; returns the number of bytes.
function copyPart(source, target, targetStart, start, end) {
  const count = Math.min(end - start, target.length - targetStart, source.length - start);
  if (count <= 0) return 0;
  if (count <= 32 && source.buffer !== target.buffer)
    for (let i = 0; i < count; i++) target[targetStart + i] = source[start + i];
  else if (start === 0 && count === source.length) typedarraySet.call(target, source, targetStart);
  else typedarraySet.call(target, typedarraySubarray.call(asPlain(source), start, start + count), targetStart);
  return count;
}

function copy(target, targetStart, sourceStart, sourceEnd) {
  if (!isBytes(this)) throw invalidArgType('source', BYTES, this);
  if (!isBytes(target)) throw invalidArgType('target', BYTES, target);
  const at = targetStart === undefined ? 0 : whole(targetStart, 0);
  if (at < 0) throw outOfRange('targetStart', '>= 0', at);
  const start = sourceStart === undefined ? 0 : whole(sourceStart, 0);
  if (start < 0 || start > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, start);
  const end = sourceEnd === undefined ? this.length : whole(sourceEnd, 0);
  if (end < 0) throw outOfRange('sourceEnd', '>= 0', end);
  return at >= target.length || start >= end ? 0 : copyPart(this, target, at, start, end);
}

// --- parts ----------------------------------------------------------------------------------------

// An index from the start or, if negative, from the end.
function placeOf(value, length) {
  const at = whole(value, 0);
  if (at < 0) return at + length > 0 ? at + length : 0;
  return at < length ? at : length;
}

function part(buffer, start, end) {
  const { length } = buffer;
  const from = placeOf(start, length);
  const to = end === undefined ? length : placeOf(end, length);
  return new FastBuffer(buffer.buffer, buffer.byteOffset + from, to > from ? to - from : 0);
}

function swapping(size) {
  const method = function () {
    const { length } = this;
    if (length % size !== 0) throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${size * 8}-bits`);
    for (let at = 0; at < length; at += size)
      for (let low = at, high = at + size - 1; low < high; low++, high--) {
        const byte = this[low];
        this[low] = this[high];
        this[high] = byte;
      }
    return this;
  };
  Object.defineProperty(method, 'name', { __proto__: null, value: `swap${size * 8}`, configurable: true });
  return method;
}

// --- comparing --------------------------------------------------------------------------------------

function compareWhole(first, second) {
  if (first === second) return 0;
  return binding.compare(first, 0, first.length, second, 0, second.length);
}

function compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
  if (!isBytes(target)) throw invalidArgType('target', BYTES, target);
  if (arguments.length === 1) return compareWhole(this, target);
  const at = (value, name, otherwise, most) => {
    if (value === undefined) return otherwise;
    validateInteger(value, name, 0, most);
    return value;
  };
  const from = at(targetStart, 'targetStart', 0, MOST);
  const to = at(targetEnd, 'targetEnd', target.length, target.length);
  const start = at(sourceStart, 'sourceStart', 0, MOST);
  const end = at(sourceEnd, 'sourceEnd', this.length, this.length);
  if (start >= end) return from >= to ? 0 : -1;
  if (from >= to) return 1;
  return binding.compare(this, start, end, target, from, to);
}

function equals(otherBuffer) {
  if (!isBytes(otherBuffer)) throw invalidArgType('otherBuffer', BYTES, otherBuffer);
  if (this === otherBuffer) return true;
  const { length } = this;
  if (length !== otherBuffer.length) return false;
  if (length > 32) return compareWhole(this, otherBuffer) === 0;
  for (let i = 0; i < length; i++) if (this[i] !== otherBuffer[i]) return false;
  return true;
}

// --- showing ----------------------------------------------------------------------------------------

let shownBytes = 50;
const limits = {
  get INSPECT_MAX_BYTES() { return shownBytes; },
  set INSPECT_MAX_BYTES(value) {
    validateNumber(value, 'INSPECT_MAX_BYTES');
    if (!(value >= 0)) throw outOfRange('INSPECT_MAX_BYTES', '>= 0', value);
    shownBytes = value;
  },
};

function inspect(depth, options) {
  const shown = Math.min(shownBytes, this.length);
  const digits = rows.hex.text(this, 0, shown);
  let text = '';
  for (let i = 0; i < shown; i++) text += `${i > 0 ? ' ' : ''}${digits[2 * i]}${digits[2 * i + 1]}`;
  const more = this.length - shown;
  if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
  // Other properties: the keys that aren't indices.
  const extra = { __proto__: null };
  let count = 0;
  const { LARGE, inspect: show } = require('internal/inspect');
  const keys = this.length > LARGE ? [] : options?.showHidden ? Reflect.ownKeys(this) : Object.keys(this);
  for (let i = this.length; i < keys.length; i++, count++) extra[keys[i]] = this[keys[i]];
  if (count > 0) {
    const rest = show(Object.assign({}, extra), { ...options, breakLength: Infinity, compact: true });
    text += `${this.length > 0 ? ', ' : ''}${stringSlice.call(rest, 2, -2)}`;
  }
  return `<${this.constructor.name} ${text}>`;
}

function toJSON() {
  const data = [];
  for (let i = 0; i < this.length; i++) data[i] = this[i];
  return { type: 'Buffer', data };
}

function addTo(prototype) {
  const methods = {
    copy, toString, equals, inspect, compare,
    fill(value, offset, end, encoding) { return fillBytes(this, value, offset, end, encoding); },
    write, toJSON,
    subarray(start, end) { return part(this, start, end); },
    slice(start, end) { return part(this, start, end); },
    swap16: swapping(2), swap32: swapping(4), swap64: swapping(8), toLocaleString: toString,
  };
  Object.assign(prototype, methods, { [inspectCustom]: inspect });
  for (const { 0: name, 1: row } of over([
    ['ascii', rows.ascii], ['base64', rows.base64], ['base64url', rows.base64url], ['latin1', rows.latin1],
    ['hex', rows.hex], ['ucs2', rows.utf16le], ['utf8', rows.utf8],
  ]))
    addRaw(prototype, name, row);
  for (const { 0: name, 1: field } of over([['parent', 'buffer'], ['offset', 'byteOffset']]))
    Object.defineProperty(prototype, name, {
      __proto__: null,
      enumerable: true,
      get() { return this instanceof FastBuffer ? this[field] : undefined; },
    });
}

module.exports = { BYTES, addTo, compareWhole, copyPart, fillBytes, isBytes, limits, rowOf };
