'use strict';
// Buffer: bytes as a subclass of Uint8Array. This file has the functions that make one and those of
// the module; the methods are in internal/buffer_*.

const {
  ArrayBufferIsView, ArrayIsArray, StringFromCodePoint, regexpReplace, regexpTest, stringCharCodeAt,
  stringCodePointAt, typedarraySet,
} = intrinsics;
const binding = native('encoding');
const FastBuffer = require('internal/fast_buffer');
const { MOST_TEXT, encodingOf, putAscii, rows } = require('internal/buffer_encodings');
const { BYTES, addTo, compareWhole, copyPart, fillBytes, isBytes, limits, rowOf } = require('internal/buffer_methods');
const { coded, invalidArgType, missingArgs, outOfRange, validateInteger, validateString } = require('internal/errors');
const kinds = require('internal/kinds');

const MOST = 2 ** 32;

// Calling the constructor is deprecated. There is no warning for calls from packages, whose users
// can't change them.
let warned = false;
function isCalledByPackage() {
  const { frames, isOurs } = require('internal/stack');
  const list = frames(new Error().stack);
  for (let i = 0; i < list.length; i++) if (!isOurs(list[i])) return regexpTest(/[/\\]node_modules[/\\]/, list[i].file);
  return false;
}

function Buffer(arg, encodingOrOffset, length) {
  if (!warned && !isCalledByPackage()) {
    warned = true;
    process.emitWarning('Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), ' +
      'Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005', Buffer);
  }
  if (typeof arg !== 'number') return Buffer.from(arg, encodingOrOffset, length);
  if (typeof encodingOrOffset === 'string') throw invalidArgType('string', 'of type string', arg);
  return Buffer.alloc(arg);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(Buffer.prototype, 'constructor', { __proto__: null, value: Buffer, writable: true, configurable: true });
Object.defineProperty(Buffer, Symbol.species, { __proto__: null, configurable: true, get() { return FastBuffer; } });
addTo(Buffer.prototype);
Object.assign(Buffer.prototype, require('internal/buffer_find'), require('internal/buffer_numbers'));

// --- from what there is ---------------------------------------------------------------------------

// Short texts share a pool of memory and, while they are ASCII, are written here: a call to C costs
// more than a few hundred characters.
const POOL = 64 * 1024;
const SHORT = 512;
let pool;
let used = POOL;

function fromShortText(text) {
  const { length } = text;
  if (used + length > POOL) {
    pool = new ArrayBuffer(POOL);
    used = 0;
  }
  const buffer = new FastBuffer(pool, used, length);
  if (!putAscii(text, buffer, length)) return fromUtf8(text);
  used = used + length + 7 & ~7; // aligned for views of 8-byte elements
  return buffer;
}

function fromUtf8(text) {
  const bytes = binding.utf8(text);
  return new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.length);
}

function fromText(text, encoding) {
  const row = typeof encoding !== 'string' || encoding === '' ? rows.utf8 : rowOf(encoding);
  if (text.length === 0) return new FastBuffer(0);
  if (row === rows.utf8) return text.length <= SHORT ? fromShortText(text) : fromUtf8(text);
  const bytes = new FastBuffer(row.lengthOf(text));
  const written = row.write(text, bytes, 0, bytes.length);
  return written === bytes.length ? bytes : new FastBuffer(bytes.buffer, bytes.byteOffset, written);
}

function fromArrayBuffer(source, byteOffset, length) {
  const offset = byteOffset === undefined ? 0 : +byteOffset || 0;
  const most = source.byteLength - offset;
  const outside = (name) => coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', `"${name}" is outside of buffer bounds`);
  if (most < 0) throw outside('offset');
  if (length === undefined) return new FastBuffer(source, offset, most);
  const size = +length > 0 ? +length : 0;
  if (size > most) throw outside('length');
  return new FastBuffer(source, offset, size);
}

function fromArrayLike(source) {
  const { length } = source;
  if (!(length > 0)) return new FastBuffer(0);
  if (length > MOST) throw outOfRange('length', `<= ${MOST}`, length);
  const bytes = new FastBuffer(Math.trunc(length));
  if (ArrayBufferIsView(source)) typedarraySet.call(bytes, source);
  else for (let i = 0; i < bytes.length; i++) bytes[i] = source[i];
  return bytes;
}

function fromObject(value) {
  if (value.length !== undefined || kinds.isAnyArrayBuffer(value.buffer))
    return typeof value.length === 'number' ? fromArrayLike(value) : new FastBuffer(0);
  return value.type === 'Buffer' && ArrayIsArray(value.data) ? fromArrayLike(value.data) : undefined;
}

function notBufferable(value) {
  return invalidArgType('first argument',
    'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object', value);
}

// The second argument is a text's encoding or an offset in an ArrayBuffer.
Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') return fromText(value, encodingOrOffset);
  if (value instanceof FastBuffer) return fromArrayLike(value);
  if (value === null || typeof value !== 'object') throw notBufferable(value);
  if (kinds.isAnyArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
  const inner = value.valueOf?.();
  if (inner != null && inner !== value && (typeof inner === 'string' || typeof inner === 'object'))
    return from(inner, encodingOrOffset, length);
  const made = fromObject(value);
  if (made !== undefined) return made;
  if (typeof value[Symbol.toPrimitive] === 'function') {
    const primitive = value[Symbol.toPrimitive]('string');
    if (typeof primitive === 'string') return fromText(primitive, encodingOrOffset);
  }
  throw notBufferable(value);
};

const isTypedArray = (value) => ArrayBufferIsView(value) && !kinds.isDataView(value);

Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
  if (!isTypedArray(view)) throw invalidArgType('view', 'an instance of TypedArray', view);
  if (offset !== undefined) validateInteger(offset, 'offset', 0);
  if (length !== undefined) validateInteger(length, 'length', 0);
  const start = offset ?? 0;
  const end = length === undefined ? view.length : Math.min(start + length, view.length);
  if (start >= end) return new FastBuffer(0);
  const size = view.byteLength / view.length;
  return fromArrayLike(new Uint8Array(view.buffer, view.byteOffset + start * size, (end - start) * size));
};

Buffer.of = function of(...items) {
  return fromArrayLike(items);
};

// --- of a size --------------------------------------------------------------------------------------

function checkSize(size) {
  if (typeof size !== 'number') throw invalidArgType('size', 'of type number', size);
  if (!(size >= 0 && size <= MOST)) throw outOfRange('size', `>= 0 && <= ${MOST}`, size);
}

Buffer.alloc = function alloc(size, fill, encoding) {
  checkSize(size);
  const bytes = new FastBuffer(Math.trunc(size));
  if (fill === undefined || fill === 0 || bytes.length === 0) return bytes;
  if (encoding != null && typeof fill === 'string') validateString(encoding, 'encoding');
  return fillBytes(bytes, fill, 0, bytes.length, encoding);
};
// Uncleared memory would be no faster here: the engine always clears it.
Buffer.allocUnsafe = function allocUnsafe(size) {
  checkSize(size);
  return new FastBuffer(Math.trunc(size));
};
Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) {
  checkSize(size);
  return new FastBuffer(Math.trunc(size));
};
function SlowBuffer(size) {
  checkSize(size);
  return new FastBuffer(Math.trunc(size));
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);
Buffer.poolSize = 8 * 1024;

// --- questions and lists ------------------------------------------------------------------------------

Buffer.isBuffer = function isBuffer(value) {
  return value instanceof Buffer;
};

Buffer.isEncoding = function isEncoding(encoding) {
  return typeof encoding === 'string' && encoding.length > 0 && encodingOf(encoding) !== undefined;
};

Buffer.byteLength = function byteLength(string, encoding) {
  if (typeof string === 'string') {
    const row = encoding ? encodingOf(encoding) : undefined;
    return (row ?? rows.utf8).lengthOf(string);
  }
  if (ArrayBufferIsView(string) || kinds.isAnyArrayBuffer(string)) return string.byteLength;
  throw invalidArgType('string', 'of type string or an instance of Buffer or ArrayBuffer', string);
};
Object.defineProperty(Buffer, 'byteLength', { __proto__: null, enumerable: true });

Buffer.compare = function compare(buf1, buf2) {
  if (!isBytes(buf1)) throw invalidArgType('buf1', BYTES, buf1);
  if (!isBytes(buf2)) throw invalidArgType('buf2', BYTES, buf2);
  return compareWhole(buf1, buf2);
};

Buffer.concat = function concat(list, length) {
  if (!ArrayIsArray(list)) throw invalidArgType('list', 'an instance of Array', list);
  if (list.length === 0) return new FastBuffer(0);
  let size = 0;
  if (length === undefined) for (let i = 0; i < list.length; i++) size += list[i]?.length || 0;
  else validateInteger(size = length, 'length', 0, MOST);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    if (!isBytes(list[i])) throw invalidArgType(`list[${i}]`, BYTES, list[i]);
    at += copyPart(list[i], bytes, at, 0, list[i].length);
  }
  return bytes;
};

// --- functions of the module ----------------------------------------------------------------------------

const exception = (message) => new (require('internal/clone').DOMException)(message, 'InvalidCharacterError');

function btoa(input) {
  if (arguments.length === 0) throw missingArgs('The "input" argument');
  const text = `${input}`;
  for (let at = 0; at < text.length; at++) if (stringCharCodeAt.call(text, at) > 255) throw exception('Invalid character');
  return fromText(text, 'latin1').toString('base64');
}

function atob(input) {
  if (arguments.length === 0) throw missingArgs('The "input" argument');
  let text = regexpReplace(/[\t\n\f\r ]/g, `${input}`, '');
  if (text.length % 4 === 0) text = regexpReplace(/==?$/, text, '');
  if (regexpTest(/[^A-Za-z0-9+/=]/, text)) throw exception('Invalid character');
  if (text.length % 4 === 1 || regexpTest(/=/, text))
    throw exception('The string to be decoded is not correctly encoded.');
  return fromText(text, 'base64').toString('latin1');
}

// A character that the encoding doesn't have becomes a question mark.
const limitOf = (row) => row === rows.ascii ? 127 : row === rows.latin1 ? 255 : Infinity;

const transcodable = (encoding) => typeof encoding === 'symbol' ? undefined : encodingOf(encoding === undefined || encoding === null || encoding === '' ? 'utf8' : encoding);

function transcode(source, fromEncoding, toEncoding) {
  if (!isBytes(source)) throw invalidArgType('source', 'an instance of Buffer or Uint8Array', source);
  if (source.length === 0) return new FastBuffer(0);
  const from = transcodable(fromEncoding);
  const to = transcodable(toEncoding);
  const isAble = (row) => row === rows.ascii || row === rows.latin1 || row === rows.utf16le || row === rows.utf8;
  if (!isAble(from) || !isAble(to)) {
    const error = coded(Error, 'U_ILLEGAL_ARGUMENT_ERROR', 'Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
    error.errno = 1;
    throw error;
  }
  const text = from.text(source, 0, source.length);
  const most = limitOf(to);
  let fit = '';
  for (let at = 0; at < text.length; at++) {
    const point = stringCodePointAt.call(text, at);
    if (point > 0xffff) at++;
    fit += point > most ? '?' : StringFromCodePoint(point);
  }
  return fromText(fit, to.name);
}

function bytesToCheck(input) {
  const isView = isTypedArray(input);
  if (!isView && !kinds.isAnyArrayBuffer(input)) throw invalidArgType('input', 'an instance of ArrayBuffer, Buffer, or TypedArray', input);
  const { detached } = isView ? input.buffer : input;
  if (detached) throw coded(Error, 'ERR_INVALID_STATE', 'Cannot validate on a detached buffer');
  return isView ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
}

function isUtf8(input) {
  return binding.utf8Valid(bytesToCheck(input));
}

function isAscii(input) {
  const bytes = bytesToCheck(input);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] > 127) return false;
  return true;
}

module.exports = {
  Buffer,
  SlowBuffer,
  transcode,
  isUtf8,
  isAscii,
  kMaxLength: MOST,
  kStringMaxLength: MOST_TEXT,
  btoa,
  atob,
};
const lazily = (name) => ({
  __proto__: null, get: () => require('internal/blob')[name], enumerable: true, configurable: true,
});
Object.defineProperties(module.exports, {
  constants: {
    __proto__: null, enumerable: true, value: Object.defineProperties({}, {
      MAX_LENGTH: { __proto__: null, value: MOST, enumerable: true },
      MAX_STRING_LENGTH: { __proto__: null, value: MOST_TEXT, enumerable: true },
    }),
  },
  INSPECT_MAX_BYTES: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() { return limits.INSPECT_MAX_BYTES; },
    set(value) { limits.INSPECT_MAX_BYTES = value; },
  },
  Blob: lazily('Blob'),
  resolveObjectURL: lazily('resolveObjectURL'),
  File: lazily('File'),
});
