'use strict';
// The encodings that Buffer knows, one row each: how many bytes a text takes, text from bytes, and
// bytes from text. C does the work (native('encoding')), except for short texts: a call to C costs
// more than converting some characters here.

const binding = native('encoding');
const { StringFromCharCode, stringCharCodeAt, stringEndsWith, stringToLowerCase } = intrinsics;

const SHORT = 24;
// The engine's limit for texts; beyond it the process would end.
const MOST_TEXT = 2 ** 31 - 1;

function checkLength(length) {
  if (length <= MOST_TEXT) return;
  throw require('internal/errors').coded(Error, 'ERR_STRING_TOO_LONG', 'Cannot create a string longer than 0x7fffffff characters');
}

// perByte: the largest number of characters for a byte
const bounded = (text, perByte) => (bytes, start, end) => {
  checkLength((end - start) * perByte);
  return text(bytes, start, end);
};

function utf8Text(bytes, start, end) {
  if (end - start > SHORT) {
    checkLength(end - start);
    return binding.utf8Text(bytes, start, end);
  }
  let text = '';
  for (let at = start; at < end; at++) {
    const code = bytes[at];
    if (code > 127) return binding.utf8Text(bytes, start, end);
    text += StringFromCharCode(code);
  }
  return text;
}

// Computed from the length alone, as if every character counted.
function base64Length(text) {
  const padding = stringEndsWith.call(text, '==') ? 2 : stringEndsWith.call(text, '=') ? 1 : 0;
  return Math.floor((text.length - padding) * 3 / 4);
}

const oneEach = (text) => text.length;
const base64Write = (text, bytes, start, end) => binding.base64Write(text, bytes, start, end);
const latin1Write = (text, bytes, start, end) => binding.latin1Write(text, bytes, start, end);

// write(text, bytes, start, end) → how many bytes were written
const rows = {
  __proto__: null,
  utf8: {
    name: 'utf8', lengthOf: (text) => binding.utf8Length(text), text: utf8Text,
    write: (text, bytes, start, end) => binding.utf8Write(text, bytes, start, end),
  },
  utf16le: {
    name: 'utf16le', lengthOf: (text) => text.length * 2, text: bounded(binding.utf16Text, 0.5),
    write: (text, bytes, start, end) => binding.utf16Write(text, bytes, start, end),
  },
  latin1: {
    name: 'latin1', lengthOf: oneEach, text: bounded(binding.latin1Text, 1), write: latin1Write,
  },
  ascii: {
    name: 'ascii', lengthOf: oneEach, text: bounded(binding.asciiText, 1), write: latin1Write,
  },
  base64: {
    name: 'base64', lengthOf: base64Length, text: bounded((bytes, start, end) => binding.base64Text(bytes, start, end, false), 4 / 3),
    write: base64Write,
  },
  base64url: {
    name: 'base64url', lengthOf: base64Length, text: bounded((bytes, start, end) => binding.base64Text(bytes, start, end, true), 4 / 3),
    write: base64Write,
  },
  hex: {
    name: 'hex', lengthOf: (text) => text.length >>> 1, text: bounded(binding.hexText, 2),
    write: (text, bytes, start, end) => binding.hexWrite(text, bytes, start, end),
  },
};
const { utf8, utf16le, latin1 } = rows;
const named = {
  ...rows, __proto__: null, 'utf-8': utf8, 'UTF-8': utf8, UTF8: utf8, ucs2: utf16le, 'ucs-2': utf16le, 'utf-16le': utf16le,
  binary: latin1,
};

// The row of an encoding's name, in any case, or undefined.
function encodingOf(name) {
  const text = typeof name === 'string' ? name : `${name}`;
  return named[text] ?? named[stringToLowerCase.call(text)];
}

// Writes a text while it is ASCII; returns false, with part of it written, if it isn't.
function putAscii(text, bytes, length) {
  for (let at = 0; at < length; at++) {
    const code = stringCharCodeAt.call(text, at);
    if (code > 127) return false;
    bytes[at] = code;
  }
  return true;
}

module.exports = { MOST_TEXT, encodingOf, putAscii, rows };
