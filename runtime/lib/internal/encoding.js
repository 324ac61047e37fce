'use strict';
// TextEncoder and TextDecoder.

const binding = native('encoding');
const { coded } = require('internal/errors');

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(text = '') {
    return binding.utf8(`${text}`);
  }

  encodeInto(source, target) {
    const written = binding.utf8Write(source, target, 0, target.length);
    // Whole characters fit or stay: count the units that were read.
    let read = 0;
    for (let bytes = 0; read < source.length;) {
      const point = source.codePointAt(read);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (bytes > written) break;
      read += point < 0x10000 ? 1 : 2;
    }
    return { read, written };
  }
}

const names = new Map(Object.entries({
  'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8',
  'utf-16le': 'utf-16le', 'utf-16': 'utf-16le', 'ucs-2': 'utf-16le', unicode: 'utf-16le',
  latin1: 'windows-1252', 'iso-8859-1': 'windows-1252', ascii: 'windows-1252', 'us-ascii': 'windows-1252',
  'windows-1252': 'windows-1252',
}));

class TextDecoder {
  #encoding;
  #fatal;
  #keepMark;
  #rest = new Uint8Array(0);
  #begun = false;

  constructor(encoding = 'utf-8', options = {}) {
    this.#encoding = names.get(`${encoding}`.trim().toLowerCase());
    if (this.#encoding === undefined)
      throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${encoding}" encoding is not supported`);
    this.#fatal = Boolean(options?.fatal);
    this.#keepMark = Boolean(options?.ignoreBOM);
  }

  get encoding() {
    return this.#encoding;
  }

  get fatal() {
    return this.#fatal;
  }

  get ignoreBOM() {
    return this.#keepMark;
  }

  decode(input = new Uint8Array(0), options = {}) {
    let bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) :
      new Uint8Array(input);
    if (this.#rest.length > 0) {
      const joined = new Uint8Array(this.#rest.length + bytes.length);
      joined.set(this.#rest);
      joined.set(bytes, this.#rest.length);
      bytes = joined;
      this.#rest = new Uint8Array(0);
    }
    if (options.stream) {
      const whole = bytes.length - this.#unfinished(bytes);
      this.#rest = bytes.slice(whole);
      bytes = bytes.subarray(0, whole);
    }
    let text = this.#text(bytes);
    if (!this.#begun && text.length > 0) {
      if (!this.#keepMark && this.#encoding !== 'windows-1252' && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      this.#begun = true;
    }
    if (!options.stream) this.#begun = false;
    return text;
  }

  // How many bytes at the end are the beginning of a character.
  #unfinished(bytes) {
    if (this.#encoding === 'utf-16le') return bytes.length % 2;
    if (this.#encoding !== 'utf-8') return 0;
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
      const byte = bytes[bytes.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
      return length > back ? back : 0;
    }
    return 0;
  }

  #text(bytes) {
    if (this.#encoding === 'utf-8') {
      if (this.#fatal && !binding.utf8Valid(bytes))
        throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', 'The encoded data was not valid for encoding utf-8');
      return binding.utf8Text(bytes);
    }
    if (this.#encoding === 'windows-1252') return binding.latin1Text(bytes);
    let text = '';
    for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes[at] | bytes[at + 1] << 8);
    return text;
  }
}

module.exports = { TextEncoder, TextDecoder };
