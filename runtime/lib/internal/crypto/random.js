'use strict';
// Random bytes, numbers and UUIDs, of OpenSSL's generator.

const { ArrayBufferIsView, NumberIsNaN, NumberIsSafeInteger, arrayJoin, numberToString } = intrinsics;
const binding = native('crypto');
require('internal/crypto/library');
const { Buffer } = require('buffer');
const { isAnyArrayBuffer } = require('internal/kinds');
const { invalidArgType, outOfRange, validateBoolean, validateFunction, validateNumber, validateObject } = require('internal/errors');

const RANDOM = 0; // enum crypto_job_kind
const MOST = 2 ** 31 - 1;
const MOST_RANGE = 2 ** 48 - 1;

function offsetArg(offset, unit, length) {
  validateNumber(offset, 'offset');
  offset *= unit;
  const most = Math.min(length, MOST);
  if (NumberIsNaN(offset) || offset > most || offset < 0) throw outOfRange('offset', `>= 0 && <= ${most}`, offset);
  return offset >>> 0;
}

function sizeArg(size, unit, offset, length) {
  validateNumber(size, 'size');
  size *= unit;
  if (NumberIsNaN(size) || size > MOST || size < 0) throw outOfRange('size', `>= 0 && <= ${MOST}`, size);
  if (size + offset > length) throw outOfRange('size + offset', `<= ${length}`, size + offset);
  return size >>> 0;
}

// Fills a part of a view or buffer: at once, or with a callback(error, bytes).
function fill(bytes, offset, size, callback) {
  const error = binding.job(RANDOM, undefined, undefined, undefined, undefined, 0, 0, 0, 0, bytes, offset, size, callback);
  if (error !== undefined) throw error;
}

function randomBytes(size, callback) {
  size = sizeArg(size, 1, 0, Infinity);
  if (callback !== undefined) validateFunction(callback, 'callback');
  const bytes = Buffer.from(new ArrayBuffer(size));
  fill(bytes, 0, size, callback);
  return callback === undefined ? bytes : undefined;
}

const unitOf = (bytes) => bytes.BYTES_PER_ELEMENT || 1;

function bufferArg(bytes) {
  if (!isAnyArrayBuffer(bytes) && !ArrayBufferIsView(bytes)) throw invalidArgType('buf', 'an instance of ArrayBuffer or ArrayBufferView', bytes);
}

function randomFillSync(buf, offset = 0, size) {
  bufferArg(buf);
  const unit = unitOf(buf);
  offset = offsetArg(offset, unit, buf.byteLength);
  size = size === undefined ? buf.byteLength - offset : sizeArg(size, unit, offset, buf.byteLength);
  if (size > 0) fill(buf, offset, size);
  return buf;
}

function randomFill(buf, offset, size, callback) {
  bufferArg(buf);
  const unit = unitOf(buf);
  if (typeof offset === 'function') {
    callback = offset;
    offset = 0;
    size = buf.byteLength / unit;
  } else if (typeof size === 'function') {
    callback = size;
    size = buf.byteLength / unit - offset;
  } else {
    validateFunction(callback, 'callback');
  }
  offset = offsetArg(offset, unit, buf.byteLength);
  size = size === undefined ? buf.byteLength - offset : sizeArg(size, unit, offset, buf.byteLength);
  if (size === 0) callback(null, buf);
  else fill(buf, offset, size, callback);
}

// Numbers beyond the last whole multiple of the range are thrown away, so that all are as likely.
const six = Buffer.alloc(6 * 64);
let used = six.length;
function randomBelow(range) {
  const most = MOST_RANGE + 1 - (MOST_RANGE + 1) % range;
  for (;;) {
    if (used === six.length) {
      fill(six, 0, six.length);
      used = 0;
    }
    let number = 0;
    for (let i = 0; i < 6; i++) number = number * 256 + six[used + i];
    used += 6;
    if (number < most) return number % range;
  }
}

function randomInt(min, max, callback) {
  const isAlone = max === undefined || typeof max === 'function';
  if (isAlone) {
    callback = max;
    max = min;
    min = 0;
  }
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (!NumberIsSafeInteger(min)) throw invalidArgType('min', 'a safe integer', min);
  if (!NumberIsSafeInteger(max)) throw invalidArgType('max', 'a safe integer', max);
  if (max <= min) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range > MOST_RANGE) throw outOfRange(isAlone ? 'max' : 'max - min', `<= ${MOST_RANGE}`, range);
  const number = min + randomBelow(range);
  if (callback === undefined) return number;
  process.nextTick(callback, undefined, number);
  return undefined;
}

const UUIDS = 128; // made at once
const uuids = Buffer.alloc(16 * UUIDS);
let next = UUIDS;
const hex = [];
for (let byte = 0; byte < 256; byte++) hex[byte] = (byte < 16 ? '0' : '') + numberToString.call(byte, 16);

function uuidOf(bytes, at) {
  const parts = [];
  for (let i = 0; i < 16; i++) {
    let byte = bytes[at + i];
    if (i === 6) byte = byte & 0x0f | 0x40; // version 4
    else if (i === 8) byte = byte & 0x3f | 0x80; // of RFC 4122
    parts[parts.length] = (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex[byte];
  }
  return arrayJoin.call(parts, '');
}

function randomUUID(options) {
  if (options !== undefined) validateObject(options, 'options');
  const { disableEntropyCache = false } = options ?? {};
  validateBoolean(disableEntropyCache, 'options.disableEntropyCache');
  if (disableEntropyCache) return uuidOf(randomBytes(16), 0);
  if (next === UUIDS) {
    fill(uuids, 0, uuids.length);
    next = 0;
  }
  const text = uuidOf(uuids, next * 16);
  uuids.fill(0, next * 16, ++next * 16); // nobody learns it from memory
  return text;
}

module.exports = { randomBytes, randomFill, randomFillSync, randomInt, randomUUID };
