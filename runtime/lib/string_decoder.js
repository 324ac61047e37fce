'use strict';
// StringDecoder: text from bytes that come in pieces. An incomplete character waits for the next
// piece.

const { ArrayBufferIsView, stringToLowerCase, typedarraySet } = intrinsics;
require('buffer');
const FastBuffer = require('internal/fast_buffer');
const { coded, invalidArgType, unknownEncoding } = require('internal/errors');

const names = {
  __proto__: null,
  'utf8': 'utf8', 'utf-8': 'utf8', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le', 'utf-16le': 'utf16le',
  'latin1': 'latin1', 'binary': 'latin1', 'base64': 'base64', 'base64url': 'base64url', 'hex': 'hex', 'ascii': 'ascii',
};

// How many bytes at the end belong to an incomplete character, and how many it needs.
function utf8Rest(bytes) {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const total = byte >= 0xf8 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return total > back ? [back, total] : [0, 0];
  }
  return [0, 0];
}

// A surrogate pair that began in an earlier piece is completed first; at the end of a piece, half a
// unit or the first half of a pair is incomplete.
function utf16Rest(bytes, waited) {
  if (waited === 2 && bytes.length === 3) return [3, 4];
  if (bytes.length % 2 === 1) return [1, 2];
  const high = bytes[bytes.length - 1];
  return high >= 0xd8 && high <= 0xdb ? [2, 4] : [0, 0];
}

function base64Rest(bytes) {
  return bytes.length % 3 === 0 ? [0, 0] : [bytes.length % 3, 3];
}

const rests = { utf8: utf8Rest, utf16le: utf16Rest, base64: base64Rest, base64url: base64Rest };
const kState = Symbol('state');

function StringDecoder(encoding) {
  const name = encoding == null || encoding === '' ? 'utf8' : typeof encoding === 'string' ? names[stringToLowerCase.call(encoding)] : undefined;
  if (name === undefined) throw unknownEncoding(encoding);
  this.encoding = name;
  // The incomplete bytes, their number, and the number that completes the character.
  Object.defineProperty(this, kState, { __proto__: null, value: { bytes: new FastBuffer(4), count: 0, total: 0 } });
}

function stateOf(decoder) {
  const state = decoder?.[kState];
  if (state === undefined) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type StringDecoder');
  return state;
}

StringDecoder.prototype.write = function write(chunk) {
  if (typeof chunk === 'string') return chunk;
  if (!ArrayBufferIsView(chunk)) throw invalidArgType('buf', 'an instance of Buffer, TypedArray, or DataView', chunk);
  const state = stateOf(this);
  let bytes = new FastBuffer(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const restOf = rests[this.encoding];
  if (restOf === undefined) return bytes.toString(this.encoding);
  if (bytes.length === 0) return '';
  const { count } = state;
  if (count > 0) bytes = joined(state.bytes, count, bytes);
  const { 0: length, 1: total } = restOf(bytes, count);
  const whole = bytes.length - length;
  if (length > 0) for (let i = 0; i < 4; i++) state.bytes[i] = i < length ? bytes[whole + i] : 0;
  state.count = length;
  state.total = total;
  return whole === 0 ? '' : bytes.toString(this.encoding, 0, whole);
};

function joined(first, count, second) {
  const both = new FastBuffer(count + second.length);
  for (let i = 0; i < count; i++) both[i] = first[i];
  typedarraySet.call(both, second, count);
  return both;
}

StringDecoder.prototype.end = function end(chunk) {
  const text = chunk === undefined ? '' : this.write(chunk);
  const state = stateOf(this);
  const { count } = state;
  state.count = state.total = 0;
  return count === 0 ? text : text + state.bytes.toString(this.encoding, 0, count);
};

StringDecoder.prototype.text = function text(buf, offset) {
  const state = stateOf(this);
  state.count = state.total = 0;
  return this.write(new FastBuffer(buf.buffer, buf.byteOffset + Math.min(offset, buf.length), Math.max(0, buf.length - offset)));
};

function property(name, get) {
  Object.defineProperty(StringDecoder.prototype, name, { __proto__: null, get, configurable: true, enumerable: true });
}
property('lastChar', function () { return stateOf(this).bytes.subarray(0, 4); });
property('lastNeed', function () { return Math.max(0, stateOf(this).total - stateOf(this).count); });
property('lastTotal', function () { return stateOf(this).total; });

module.exports = { StringDecoder };
