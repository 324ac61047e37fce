'use strict';
// TextEncoder and TextDecoder, for UTF-8, UTF-16 and windows-1252.

const binding = native('encoding');
const { ArrayIsArray, ArrayBufferIsView, SymbolFor, stringCharCodeAt, stringCodePointAt, stringSlice, stringToLowerCase, stringToWellFormed, typedarraySet,
  typedarraySlice, typedarraySubarray } = intrinsics;
const { coded, invalidArgType, validateObject, validateString } = require('internal/errors');
const { asInterface, badThis } = require('internal/event_target');
const kinds = require('internal/kinds');

const inspectCustom = SymbolFor('nodejs.util.inspect.custom');
let isEncoder, isDecoder;

function checkEncoder(value) {
  if (!isEncoder(value)) throw badThis('TextEncoder');
  return value;
}

class TextEncoder {
  #brand;

  static {
    isEncoder = (value) => typeof value === 'object' && value !== null && #brand in value;
  }

  get encoding() {
    checkEncoder(this);
    return 'utf-8';
  }

  encode(input = '') {
    checkEncoder(this);
    return binding.utf8(`${input}`);
  }

  encodeInto(src, dest) {
    checkEncoder(this);
    validateString(src, 'src');
    if (!(dest instanceof Uint8Array)) throw invalidArgType('dest', 'an instance of Uint8Array', dest);
    const written = binding.utf8Write(src, dest, 0, dest.length);
    // A character is written as a whole or not at all: count the units that were read.
    let read = 0;
    for (let bytes = 0; read < src.length;) {
      const point = stringCodePointAt.call(src, read);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (bytes > written) break;
      read += point < 0x10000 ? 1 : 2;
    }
    return { read, written };
  }

  [inspectCustom](depth, options, inspect) {
    checkEncoder(this);
    return typeof depth === 'number' && depth < 0 ? this : inspect({ encoding: this.encoding }, options);
  }
}
asInterface(TextEncoder, ['encode', 'encodeInto', 'encoding']);

// --- labels ---------------------------------------------------------------------------------------

const labels = { __proto__: null };
const rows = {
  __proto__: null,
  'utf-8': ['unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'utf-8', 'utf8', 'x-unicode20utf8'],
  'utf-16le': ['csunicode', 'iso-10646-ucs-2', 'ucs-2', 'unicode', 'unicodefeff', 'utf-16', 'utf-16le'],
  'utf-16be': ['unicodefffe', 'utf-16be'],
  'windows-1252': ['ansi_x3.4-1968', 'ascii', 'cp1252', 'cp819', 'csisolatin1', 'ibm819', 'iso-8859-1', 'iso-ir-100', 'iso8859-1',
    'iso88591', 'iso_8859-1', 'iso_8859-1:1987', 'l1', 'latin1', 'us-ascii', 'windows-1252', 'x-cp1252'],
};
for (const encoding in rows) for (let i = 0; i < rows[encoding].length; i++) labels[rows[encoding][i]] = encoding;

const isSpace = (code) => code === 9 || code === 10 || code === 12 || code === 13 || code === 32;

// The label without the white space around it, by the web's definition, not the language's.
function encodingOf(label) {
  let start = 0;
  let end = label.length;
  while (start < end && isSpace(stringCharCodeAt.call(label, start))) start++;
  while (end > start && isSpace(stringCharCodeAt.call(label, end - 1))) end--;
  return labels[stringToLowerCase.call(stringSlice.call(label, start, end))];
}

// --- decoding -------------------------------------------------------------------------------------

// How many bytes at the end are the beginning of an incomplete character.
function unfinishedUtf8(bytes) {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function unfinishedUtf16(bytes, isBig) {
  const odd = bytes.length % 2;
  const last = bytes.length - odd;
  const high = last < 2 ? 0 : bytes[isBig ? last - 2 : last - 1];
  return high >= 0xd8 && high <= 0xdb ? 2 + odd : odd;
}

function utf16Text(bytes, isBig) {
  if (!isBig) return binding.utf16Text(bytes, 0, bytes.length);
  const swapped = new Uint8Array(bytes.length & ~1);
  for (let i = 0; i < swapped.length; i++) swapped[i] = bytes[i ^ 1];
  return binding.utf16Text(swapped, 0, swapped.length);
}

function bytesOf(input) {
  if (ArrayBufferIsView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (kinds.isAnyArrayBuffer(input)) return new Uint8Array(input);
  throw coded(TypeError, 'ERR_INVALID_ARG_TYPE',
    'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.');
}

function checkDecoder(value) {
  if (!isDecoder(value)) throw badThis('TextDecoder');
  return value;
}

class TextDecoder {
  #encoding;
  #fatal;
  #keepMark;
  #rest = null;
  #begun = false;

  static {
    isDecoder = (value) => typeof value === 'object' && value !== null && #encoding in value;
  }

  constructor(encoding = 'utf-8', options = undefined) {
    const label = `${encoding}`;
    if (options != null && typeof options !== 'function' && !ArrayIsArray(options)) validateObject(options, 'options');
    this.#encoding = encodingOf(label);
    if (this.#encoding === undefined)
      throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
    this.#fatal = Boolean(options?.fatal);
    this.#keepMark = Boolean(options?.ignoreBOM);
  }

  decode(input = undefined, options = undefined) {
    checkDecoder(this);
    let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
    const isPart = Boolean(options?.stream);
    if (this.#rest !== null) {
      const joined = new Uint8Array(this.#rest.length + bytes.length);
      typedarraySet.call(joined, this.#rest, 0);
      typedarraySet.call(joined, bytes, this.#rest.length);
      bytes = joined;
      this.#rest = null;
    }
    if (isPart) {
      const whole = bytes.length - this.#unfinished(bytes);
      if (whole < bytes.length) this.#rest = typedarraySlice.call(bytes, whole);
      bytes = typedarraySubarray.call(bytes, 0, whole);
    }
    let text = this.#text(bytes);
    if (!this.#begun && text.length > 0) {
      const hasMark = this.#encoding !== 'windows-1252' && stringCharCodeAt.call(text, 0) === 0xfeff;
      if (hasMark && !this.#keepMark) text = stringSlice.call(text, 1);
      this.#begun = true;
    }
    if (!isPart) this.#begun = false;
    return text;
  }

  get encoding() { return checkDecoder(this).#encoding; }
  get fatal() { return checkDecoder(this).#fatal; }
  get ignoreBOM() { return checkDecoder(this).#keepMark; }

  #unfinished(bytes) {
    if (this.#encoding === 'utf-8') return unfinishedUtf8(bytes);
    return this.#encoding === 'windows-1252' ? 0 : unfinishedUtf16(bytes, this.#encoding === 'utf-16be');
  }

  #text(bytes) {
    if (this.#encoding === 'utf-8') {
      if (this.#fatal && !binding.utf8Valid(bytes)) throw this.#invalid();
      return binding.utf8Text(bytes, 0, bytes.length);
    }
    if (this.#encoding === 'windows-1252') return binding.latin1Text(bytes, 0, bytes.length);
    const text = utf16Text(bytes, this.#encoding === 'utf-16be');
    const formed = stringToWellFormed.call(text);
    const isOdd = bytes.length % 2 === 1;
    if (this.#fatal && (isOdd || formed !== text)) throw this.#invalid();
    return isOdd ? `${formed}\ufffd` : formed;
  }

  #invalid() {
    return coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.#encoding}`);
  }

  [inspectCustom](depth, options, inspect) {
    const { encoding, fatal, ignoreBOM } = checkDecoder(this);
    if (typeof depth === 'number' && depth < 0) return this;
    return `TextDecoder ${inspect({ encoding, fatal, ignoreBOM }, options)}`;
  }
}
asInterface(TextDecoder, ['decode', 'encoding', 'fatal', 'ignoreBOM']);

module.exports = { TextEncoder, TextDecoder };
