'use strict';
// indexOf, lastIndexOf and includes of Buffer. A text in UTF-16 is looked for in steps of two
// bytes from the buffer's beginning, anything else byte by byte.

const { ArrayBufferIsView, NumberIsNaN, regexpTest, typedarrayIndexOf, typedarrayLastIndexOf } = intrinsics;
const { invalidArgType, unknownEncoding } = require('internal/errors');

const isBytes = (value) => value instanceof Uint8Array;
const isWide = (encoding) => regexpTest(/^(ucs-?2|utf-?16le)$/i, encoding);

// The index to begin at; undefined if there is nothing to search.
function beginningOf(length, from, backward) {
  let at = typeof from === 'string' ? NaN : Math.trunc(+from);
  if (NumberIsNaN(at)) at = backward ? length : 0;
  if (at < 0) at += length;
  if (at < 0) return backward ? undefined : 0;
  return Math.min(at, length);
}

function matches(buffer, needle, at) {
  for (let index = 0; index < needle.length; index++)
    if (buffer[at + index] !== needle[index]) return false;
  return true;
}

function search(buffer, needle, from, backward, step) {
  const start = beginningOf(buffer.length, from, backward);
  if (needle.length === 0) return start ?? 0;
  if (start === undefined || step > 1 && (needle.length < step || buffer.length < step)) return -1;
  const last = buffer.length - needle.length;
  // The engine finds a first byte faster than this loop.
  for (let at = backward ? Math.min(start, last) : start - start % step; at >= 0 && at <= last; at += backward ? -1 : 1) {
    at = backward ? typedarrayLastIndexOf.call(buffer, needle[0], at) : typedarrayIndexOf.call(buffer, needle[0], at);
    if (at < 0 || at > last) return -1;
    if (at % step === 0 && matches(buffer, needle, at)) return at;
  }
  return -1;
}

function find(buffer, value, from, encoding, backward) {
  if (!ArrayBufferIsView(buffer)) throw invalidArgType('buffer', 'an instance of Buffer, TypedArray, or DataView', buffer);
  if (typeof from === 'string') {
    encoding = from;
    from = undefined;
  }
  if (typeof value === 'number') return search(buffer, [value & 255], from, backward, 1);
  if (typeof value !== 'string' && !isBytes(value))
    throw invalidArgType('value', 'one of type number or string or an instance of Buffer or Uint8Array', value);
  const { Buffer } = require('buffer');
  const name = encoding === undefined ? 'utf8' : `${encoding}`;
  if (typeof value !== 'string') return search(buffer, value, from, backward, isWide(name) ? 2 : 1);
  if (!Buffer.isEncoding(name)) throw unknownEncoding(encoding);
  const wide = isWide(name);
  return search(wide ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length & ~1) : buffer, Buffer.from(value, name), from, backward, wide ? 2 : 1);
}

// Functions, not methods: as in Node they may be called with new, and `this` is checked.
function indexOf(value, byteOffset, encoding) {
  return find(this, value, byteOffset, encoding, false);
}

function lastIndexOf(value, byteOffset, encoding) {
  return find(this, value, byteOffset, encoding, true);
}

function includes(value, byteOffset, encoding) {
  return this.indexOf(value, byteOffset, encoding) !== -1;
}

module.exports = { indexOf, lastIndexOf, includes };
