'use strict';
// StringDecoder: text from bytes that come in pieces. What a piece leaves incomplete waits
// for the next one.

const { invalidArgType, unknownEncoding } = require('internal/errors');

const names = {
  'utf8': 'utf8', 'utf-8': 'utf8', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le', 'utf-16le': 'utf16le',
  'latin1': 'latin1', 'binary': 'latin1', 'base64': 'base64', 'base64url': 'base64url', 'hex': 'hex', 'ascii': 'ascii',
};

// How many bytes at the end belong to a character that has begun, and how many it needs.
function utf8Rest(bytes) {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const total = byte >= 0xf8 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return total > back ? [back, total] : [0, 0];
  }
  return [0, 0];
}

function utf16Rest(bytes) {
  if (bytes.length % 2 === 1) return [1, 2];
  const high = bytes[bytes.length - 1];
  return high >= 0xd8 && high <= 0xdb ? [2, 4] : [0, 0];
}

function base64Rest(bytes) {
  return bytes.length % 3 === 0 ? [0, 0] : [bytes.length % 3, 3];
}

const rests = { utf8: utf8Rest, utf16le: utf16Rest, base64: base64Rest, base64url: base64Rest };
const kRest = Symbol('rest');

function StringDecoder(encoding) {
  if (!(this instanceof StringDecoder)) return new StringDecoder(encoding);
  const name = (encoding ?? '') === '' ? 'utf8' : typeof encoding === 'string' ? names[encoding.toLowerCase()] : undefined;
  if (name === undefined) throw unknownEncoding(encoding);
  this.encoding = name;
  Object.defineProperty(this, kRest, { value: { bytes: Buffer.alloc(0), total: 0 } });
}

StringDecoder.prototype.write = function write(chunk) {
  if (typeof chunk === 'string') return chunk;
  if (!ArrayBuffer.isView(chunk)) throw invalidArgType('buf', 'an instance of Buffer, TypedArray, or DataView', chunk);
  let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const restOf = rests[this.encoding];
  if (restOf === undefined) return bytes.toString(this.encoding);
  const rest = this[kRest];
  if (rest.bytes.length > 0) bytes = Buffer.concat([rest.bytes, bytes]);
  const [length, total] = restOf(bytes);
  rest.bytes = length === 0 ? bytes.subarray(0, 0) : Buffer.from(bytes.subarray(bytes.length - length));
  rest.total = total;
  return bytes.toString(this.encoding, 0, bytes.length - length);
};

StringDecoder.prototype.end = function end(chunk) {
  const text = chunk === undefined ? '' : this.write(chunk);
  const rest = this[kRest];
  const { bytes } = rest;
  rest.bytes = bytes.subarray(0, 0);
  rest.total = 0;
  return text + bytes.toString(this.encoding);
};

StringDecoder.prototype.text = function (bytes, offset) {
  this[kRest].bytes = Buffer.alloc(0);
  return this.write(bytes.subarray(offset));
};

const property = (name, get) => Object.defineProperty(StringDecoder.prototype, name, { get, configurable: true, enumerable: true });
property('lastChar', function () { return this[kRest].bytes; });
property('lastNeed', function () { return Math.max(0, this[kRest].total - this[kRest].bytes.length); });
property('lastTotal', function () { return this[kRest].total; });

module.exports = { StringDecoder };
