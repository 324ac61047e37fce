'use strict';
// Buffer is the package's; where text meets bytes C does the work, and what Node 20 has
// beyond the package is added.

const base = require('vendor/buffer');
const binding = native('encoding');
const { coded, invalidArgType, outOfRange, unknownEncoding, validateString } = require('internal/errors');
const checks = require('internal/buffer_checks');

const { Buffer } = base;
const FastBuffer = require('internal/fast_buffer');
Object.defineProperties(FastBuffer.prototype, Object.getOwnPropertyDescriptors(Buffer.prototype));
Object.defineProperty(FastBuffer.prototype, 'constructor', { value: Buffer, writable: true, configurable: true });
Buffer.prototype = FastBuffer.prototype;
const slow = {
  from: Buffer.from, toString: Buffer.prototype.toString, write: Buffer.prototype.write, fill: Buffer.prototype.fill,
};
const { fill } = Uint8Array.prototype;
const isUtf8Name = (name) => name === undefined || name === 'utf8' || name === 'utf-8' || name === 'UTF-8' || name === 'UTF8';
const asBuffer = (bytes) => Object.setPrototypeOf(bytes, Buffer.prototype);

// Short texts are laid down side by side in a pool and, while they are ASCII, written here:
// crossing into C costs more than a few hundred characters do.
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
  const buffer = asBuffer(new Uint8Array(pool, used, length));
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return asBuffer(binding.utf8(text));
    buffer[at] = code;
  }
  used = used + length + 7 & ~7; // others may want views of 8 byte elements
  return buffer;
}

// Both alphabets at once, up to the first padding, without what is no digit and without a
// last digit that makes no byte.
function plainBase64(text) {
  const end = text.indexOf('=');
  if (end >= 0) text = text.slice(0, end);
  text = text.replace(/[^A-Za-z0-9+/_-]/g, '').replace(/-/g, '+').replace(/_/g, '/');
  return text.length % 4 === 1 ? text.slice(0, -1) : text;
}
const isBase64 = (name) => name === 'base64' || typeof name === 'string' && /^base64(url)?$/i.test(name);

const notBufferable = (value) => invalidArgType('first argument',
  'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object', value);

function fromText(text, encoding) {
  if (typeof encoding !== 'string' || encoding === '' || isUtf8Name(encoding)) return text.length <= SHORT ? fromShortText(text) : asBuffer(binding.utf8(text));
  if (isBase64(encoding)) return slow.from(plainBase64(text), 'base64');
  if (!Buffer.isEncoding(encoding))
    throw unknownEncoding(encoding);
  // Node stops at the first pair that is no number.
  const hex = encoding.toLowerCase() === 'hex';
  return slow.from(hex ? /^(?:[0-9a-f]{2})*/i.exec(text)[0] : text, encoding);
}

// The second is a text's encoding or a place in an ArrayBuffer.
Buffer.from = function from(value, second, length) {
  if (typeof value === 'string') return fromText(value, second);
  if (value === null || value === undefined || typeof value !== 'object' && typeof value !== 'function')
    throw notBufferable(value);
  if (value instanceof ArrayBuffer && second > value.byteLength)
    throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
  try {
    return slow.from(value, second, length);
  } catch (error) {
    if (error instanceof TypeError && error.code === undefined && error.message.startsWith('The first argument must be'))
      throw notBufferable(value);
    throw error;
  }
};

// Crossing into C costs more than a few characters do here.
function shortText(buffer, start, end) {
  let text = '';
  for (let at = start; at < end; at++) {
    const code = buffer[at];
    if (code > 127) return binding.utf8Text(buffer, start, end);
    text += String.fromCharCode(code);
  }
  return text;
}

Buffer.prototype.toString = function toString(encoding, start, end) {
  if (start === undefined) start = 0;
  if (end === undefined || end > this.length) end = this.length;
  if (!(start > 0)) start = 0;
  if (start >= end) return '';
  if (isUtf8Name(encoding)) {
    return end - start > 24 ? binding.utf8Text(this, start, end) : shortText(this, start, end);
  }
  switch (`${encoding}`.toLowerCase()) {
    case 'utf8': case 'utf-8': return binding.utf8Text(this, start, end);
    case 'latin1': case 'binary': return binding.latin1Text(this, start, end);
    case 'base64': return binding.base64Text(this, start, end, false);
    case 'base64url': return binding.base64Text(this, start, end, true);
    case 'hex': case 'ascii': case 'ucs2': case 'ucs-2': case 'utf16le': case 'utf-16le':
      return slow.toString.call(this, encoding, start, end);
    default: throw unknownEncoding(encoding);
  }
};
Buffer.prototype.toLocaleString = Buffer.prototype.toString;

Buffer.prototype.write = function write(text, offset, length, encoding) {
  if (typeof offset === 'string') [offset, encoding] = [undefined, offset];
  else if (typeof length === 'string') [length, encoding] = [undefined, length];
  if (typeof text !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
  if (length !== undefined && length > this.length - (offset ?? 0)) throw outOfRange('length', `>= 0 && <= ${this.length - (offset ?? 0)}`, length);
  if (encoding && !Buffer.isEncoding(`${encoding}`)) throw unknownEncoding(encoding);
  if (encoding && !isUtf8Name(encoding))
    return slow.write.call(this, isBase64(encoding) ? plainBase64(text) : text, offset ?? 0,
      length ?? this.length - (offset ?? 0), isBase64(encoding) ? 'base64' : encoding);
  offset ??= 0;
  if (offset < 0 || offset > this.length)
    throw coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "offset" is out of range. It must be >= 0 && <= ${this.length}. Received ${offset}`);
  return binding.utf8Write(text, this, offset, Math.min(this.length, offset + (length ?? this.length)));
};

Buffer.prototype.fill = function (value, offset, end, encoding) {
  if (typeof value === 'number' && (offset === undefined || offset >= 0) && (end === undefined || end <= this.length))
    return fill.call(this, value & 255, offset, end);
  return slow.fill.apply(this, checks.fillArguments(this, value, offset, end, encoding));
};

for (const name of ['alloc', 'allocUnsafe', 'allocUnsafeSlow']) {
  const make = Buffer[name];
  Buffer[name] = { [name](size, value, encoding) {
    if (typeof size !== 'number') throw invalidArgType('size', 'of type number', size);
    if (!(size >= 0 && size <= 2 ** 32)) throw outOfRange('size', '>= 0 && <= 4294967296', size);
    if (typeof value === 'string' && (encoding ?? null) !== null) validateString(encoding, 'encoding');
    return make.call(Buffer, size, value, encoding);
  } }[name];
}

Buffer.prototype[Symbol.for('nodejs.util.inspect.custom')] = function (depth, options) {
  const shown = Math.min(module.exports.INSPECT_MAX_BYTES, this.length);
  let text = Array.from(this.subarray(0, shown), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const more = this.length - shown;
  if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
  const extra = Object.keys(this).filter((key) => !/^\d+$/.test(key));
  if (extra.length > 0) {
    const { inspect } = require('internal/inspect');
    const rest = Object.fromEntries(extra.map((key) => [key, this[key]]));
    text += `${this.length > 0 ? ', ' : ''}${inspect(rest, { ...options, breakLength: Infinity }).slice(2, -2)}`;
  }
  return `<${this.constructor.name} ${text}>`;
};
Buffer.prototype.inspect = Buffer.prototype[Symbol.for('nodejs.util.inspect.custom')];

const { isEncoding, byteLength } = Buffer;
Buffer.isEncoding = (name) => typeof name === 'string' && (isEncoding(name) || isBase64(name));
Buffer.byteLength = (value, encoding) => {
  if (typeof value === 'string') {
    if (isUtf8Name(encoding) || !Buffer.isEncoding(encoding)) return binding.utf8Length(value);
    if (!isBase64(encoding)) return byteLength(value, encoding);
    // By the length alone, as if every character counted.
    const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
    return Math.floor((value.length - padding) * 3 / 4);
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  throw invalidArgType('string', 'of type string or an instance of Buffer or ArrayBuffer', value);
};
Buffer.copyBytesFrom = (view, offset = 0, length = view.length - offset) => {
  const part = view.subarray(offset, offset + length);
  return Buffer.from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};
Buffer.poolSize = 8192;
// The package's readers are spelled with a capital; Node has both.
for (const name of Object.getOwnPropertyNames(Buffer.prototype))
  if (/^(read|write)(Big)?UInt/.test(name))
    Buffer.prototype[name.replace('UInt', 'Uint')] ??= Buffer.prototype[name];
for (const encoding of ['ascii', 'base64', 'base64url', 'latin1', 'hex', 'ucs2', 'utf8'])
  Object.assign(Buffer.prototype, {
    [`${encoding}Slice`](start, end) { return this.toString(encoding, start, end); },
    [`${encoding}Write`](text, offset, length) { return this.write(text, offset, length, encoding); },
  });
Object.assign(Buffer.prototype, require('internal/buffer_find'));
checks.guard(Buffer);
Object.defineProperty(Buffer, 'name', { value: 'Buffer' });

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const invalidCharacter = () => new (require('internal/clone').DOMException)('Invalid character', 'InvalidCharacterError');
function btoa(input) {
  const text = `${input}`;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 255) throw invalidCharacter();
  return Buffer.from(text, 'latin1').toString('base64');
}
function atob(input) {
  let text = `${input}`.replace(/[\t\n\f\r ]/g, '');
  if (text.length % 4 === 0) text = text.replace(/==?$/, '');
  if (text.length % 4 === 1 || [...text].some((character) => !digits.includes(character)))
    throw new (require('internal/clone').DOMException)('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  return Buffer.from(text, 'base64').toString('latin1');
}

const bytesOf = (input) => ArrayBuffer.isView(input) ? input : new Uint8Array(input);

module.exports = {
  Buffer,
  SlowBuffer: base.SlowBuffer,
  transcode: (source, from, to) => Buffer.from(source.toString(from), to),
  isUtf8: (input) => binding.utf8Valid(bytesOf(input)),
  isAscii: (input) => bytesOf(input).every((byte) => byte < 128),
  kMaxLength: 2 ** 32,
  kStringMaxLength: 2 ** 31 - 1,
  btoa,
  atob,
  constants: { MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 2 ** 31 - 1 },
  INSPECT_MAX_BYTES: 50,
  resolveObjectURL: (address) => require('internal/blob').resolveObjectURL(address),
};
for (const name of ['Blob', 'File'])
  Object.defineProperty(module.exports, name, {
    get: () => require('internal/blob')[name], enumerable: true, configurable: true,
  });
