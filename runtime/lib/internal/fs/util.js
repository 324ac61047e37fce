'use strict';
// Shared parts of fs: checks arguments and converts them for the native functions, with Node's
// errors.

const {
  ArrayBufferIsView, ArrayIsArray, DateNow, NumberIsFinite, NumberIsInteger, NumberIsSafeInteger, arrayEvery, dateGetTime, regexpTest,
  stringIncludes, typedarrayIncludes,
} = intrinsics;
const { Buffer } = require('buffer');
const posix = require('path');
const {
  coded, invalidArgType, invalidArgValue, outOfRange, validateAbortSignal, validateFunction, validateInteger,
  validateNumber,
} = require('internal/errors');
const c = require('internal/fs/constants');

const FLAGS = Object.assign(Object.create(null), {
  'r': c.O_RDONLY,
  'rs': c.O_RDONLY | c.O_SYNC,
  'sr': c.O_RDONLY | c.O_SYNC,
  'r+': c.O_RDWR,
  'rs+': c.O_RDWR | c.O_SYNC,
  'sr+': c.O_RDWR | c.O_SYNC,
  'w': c.O_TRUNC | c.O_CREAT | c.O_WRONLY,
  'wx': c.O_TRUNC | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
  'xw': c.O_TRUNC | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
  'w+': c.O_TRUNC | c.O_CREAT | c.O_RDWR,
  'wx+': c.O_TRUNC | c.O_CREAT | c.O_RDWR | c.O_EXCL,
  'xw+': c.O_TRUNC | c.O_CREAT | c.O_RDWR | c.O_EXCL,
  'a': c.O_APPEND | c.O_CREAT | c.O_WRONLY,
  'ax': c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
  'xa': c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
  'as': c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_SYNC,
  'sa': c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_SYNC,
  'a+': c.O_APPEND | c.O_CREAT | c.O_RDWR,
  'ax+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_EXCL,
  'xa+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_EXCL,
  'as+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_SYNC,
  'sa+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_SYNC,
});

function flagsOf(flags, name = 'flags') {
  if (typeof flags === 'number') {
    validateInteger(flags, name, -2147483648, 2147483647);
    return flags;
  }
  if (flags == null) return c.O_RDONLY;
  const number = typeof flags === 'string' ? FLAGS[flags] : undefined;
  if (number === undefined) throw invalidArgValue(name, flags);
  return number;
}

function isView(value) {
  return ArrayBufferIsView(value);
}

// A path for the native functions: a string or bytes.
function pathOf(path, name = 'path') {
  if (typeof path === 'string') {
    if (stringIncludes.call(path, '\u0000'))
      throw invalidArgValue(name, path, 'must be a string, Uint8Array, or URL without null bytes');
    return path;
  }
  if (path instanceof Uint8Array) {
    if (typedarrayIncludes.call(path, 0))
      throw invalidArgValue(name, path, 'must be a string, Uint8Array, or URL without null bytes');
    return path;
  }
  if (path !== null && typeof path === 'object' && path.href && path.protocol) {
    if (path.protocol !== 'file:')
      throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    if (path.hostname !== '')
      throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST',
        'File URL host must be "localhost" or empty on linux');
    if (regexpTest(/%2f/i, path.pathname))
      throw coded(TypeError, 'ERR_INVALID_FILE_URL_PATH',
        'File URL path must not include encoded / characters');
    return pathOf(decodeURIComponent(path.pathname), name);
  }
  throw invalidArgType(name, 'of type string or an instance of Buffer or URL', path);
}

function fdOf(fd, name = 'fd') {
  if (typeof fd !== 'number') throw invalidArgType(name, 'of type number', fd);
  if (!NumberIsInteger(fd)) throw outOfRange(name, 'an integer', fd);
  if (fd < 0 || fd > 2147483647) throw outOfRange(name, '>= 0 && <= 2147483647', fd);
  return fd;
}

// As above, for calls whose native part checks the descriptor, with its error.
function descriptorOf(fd) {
  if (typeof fd === 'number' && NumberIsInteger(fd) && (fd < 0 || fd > 2147483647))
    throw coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "fd" is out of range. It must be >= 0 && <= 2147483647. Received ${fd}`);
  if (typeof fd === 'bigint' || typeof fd === 'function')
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "fd" argument must be of type number. Received ${typeof fd === 'bigint' ? `type bigint (${fd})` : 'function'}`);
  return fdOf(fd);
}

function modeOf(mode, name, otherwise) {
  mode ??= otherwise;
  if (typeof mode === 'string') {
    if (!regexpTest(/^[0-7]+$/, mode))
      throw invalidArgValue(name, mode, 'must be a 32-bit unsigned integer or an octal string');
    mode = parseInt(mode, 8);
  }
  validateInteger(mode, name, 0, 4294967295);
  return mode;
}

function idOf(id, name) {
  validateInteger(id, name, -1, 4294967295);
  return id;
}

// A time in seconds from a number, a numeric string or a Date.
function timeOf(time, name = 'time') {
  if (typeof time === 'string' && +time == time) return +time;
  if (NumberIsFinite(time)) return time < 0 ? DateNow() / 1000 : time;
  if (time instanceof Date) return dateGetTime.call(time) / 1000;
  throw invalidArgType(name, 'an instance of Date or an Time in seconds', time);
}

function callbackOf(callback) {
  validateFunction(callback, 'cb');
  return callback;
}

function checkEncoding(encoding) {
  if (encoding && encoding !== 'buffer' && !Buffer.isEncoding(encoding))
    throw invalidArgValue('encoding', encoding, 'is invalid encoding');
}

// Options given as an object, as the name of an encoding, or not at all. Inherited properties of an
// object count, as in Node. If no options are given, only `base` counts: where it is a plain
// object, as in some functions of Node, properties of Object.prototype count too.
function checkOptions(options, defaults, base = defaults) {
  if (options === undefined || options === null || typeof options === 'function') return base;
  if (typeof options === 'string') {
    checkEncoding(options);
    return Object.assign(Object.create(Object.getPrototypeOf(base)), base, { encoding: options });
  }
  if (typeof options !== 'object')
    throw invalidArgType('options', 'one of type string or object', options);
  if ('encoding' in defaults && options.encoding !== 'buffer') checkEncoding(options.encoding);
  if ('signal' in defaults && options.signal !== undefined) validateAbortSignal(options.signal, 'options.signal');
  return options;
}

// All options of a function: those given, and `defaults` for the others. Every function reads its
// options through this; the result has no prototype.
function optionsOf(given, defaults, base) {
  const options = checkOptions(given, defaults, base);
  const own = { __proto__: null, ...defaults };
  if (options === defaults) return own;
  for (const name in own) {
    const value = options[name];
    if (value !== undefined && (name !== 'flag' || value)) own[name] = value;
  }
  return own;
}

// The native functions return texts (a name, a link's target) as strings or bytes; encodeText
// converts them to the encoding that was asked for.
const wantsBytes = (encoding) => Boolean(encoding) && encoding !== 'utf8' && encoding !== 'utf-8';

function encodeText(value, encoding) {
  if (!wantsBytes(encoding) || encoding === 'buffer') return value;
  return value.toString(encoding);
}

function dataOf(data, encoding) {
  if (isView(data)) return data;
  if (typeof data !== 'string')
    throw invalidArgType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
  return Buffer.from(data, encoding || 'utf8');
}

function bufferOf(buffer, name = 'buffer') {
  if (!isView(buffer))
    throw invalidArgType(name, 'an instance of Buffer, TypedArray, or DataView', buffer);
  return buffer;
}

// The position of a read or write; negative for the file's own.
function positionOf(position, name = 'position') {
  if (position === null || position === undefined) return -1;
  if (typeof position === 'bigint') {
    if (position < -(2n ** 63n) || position > 2n ** 63n - 1n)
      throw outOfRange(name, `>= ${-(2n ** 63n)} && <= ${2n ** 63n - 1n}`, position);
    return position < 0n ? -1 : Number(position);
  }
  if (typeof position === 'number') {
    validateInteger(position, name, -1);
    return position;
  }
  throw invalidArgType(name, 'of type bigint or integer', position);
}

// For functions where only an integer counts as a position and everything else means none.
const loosePosition = (position) => NumberIsSafeInteger(position) && position >= 0 ? position : -1;

// offset and length of a part of a view, for read.
function readRange(offset, length, buffer) {
  const size = buffer.byteLength;
  if (offset === null || offset === undefined) offset = 0;
  else validateInteger(offset, 'offset', 0);
  if (length === undefined || length === null) length = size - offset;
  length |= 0;
  if (length === 0) return { offset, length };
  if (size === 0) throw invalidArgValue('buffer', buffer, 'is empty and cannot be written');
  if (length < 0) throw outOfRange('length', '>= 0', length);
  if (offset + length > size) throw outOfRange('length', `<= ${size - offset}`, length);
  return { offset, length };
}

function writeRange(offset, length, size) {
  if (offset === null || offset === undefined) offset = 0;
  else validateInteger(offset, 'offset', 0);
  if (typeof length !== 'number') length = size - offset;
  if (offset > size) throw outOfRange('offset', `<= ${size}`, offset);
  if (length > size - offset) throw outOfRange('length', `<= ${size - offset}`, length);
  if (length < 0) throw outOfRange('length', '>= 0', length);
  validateInteger(length, 'length', 0, 2147483647);
  return { offset, length };
}

function viewsOf(buffers) {
  if (!ArrayIsArray(buffers) || !arrayEvery.call(buffers, isView))
    throw invalidArgType('buffers', 'an ArrayBufferView[]', buffers);
  return buffers;
}

function smallMode(mode) {
  if (mode === undefined || mode === null) return 0;
  if (typeof mode !== 'number') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined');
  if (mode !== mode) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range');
  mode = Math.trunc(mode);
  if (mode < 0 || mode > 7)
    throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
  return mode;
}

const accessModeOf = smallMode;
const copyModeOf = smallMode;

// The type of a symbolic link matters only on Windows, but a wrong one is an error everywhere.
function checkLinkType(type) {
  if (typeof type !== 'string' || type === 'dir' || type === 'file' || type === 'junction') return;
  throw coded(Error, 'ERR_FS_INVALID_SYMLINK_TYPE',
    `Symlink type must be one of "dir", "file", or "junction". Received "${type}"`);
}

function joined(folder, name) {
  if (typeof folder === 'string' && typeof name === 'string') return posix.join(folder, name);
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), Buffer.from(name)]);
}

// An entry's name as part of a path: a string, or bytes if it isn't UTF-8.
function nameOf(bytes) {
  const text = bytes.toString();
  return stringIncludes.call(text, '\ufffd') ? bytes : text;
}

function lengthOf(length = 0) {
  validateInteger(length, 'len');
  return Math.max(0, length);
}

let warnedOfTemplate = false;
function warnOfTemplate(prefix) {
  const end = prefix[prefix.length - 1];
  if (warnedOfTemplate || (end !== 'X' && end !== 88)) return;
  warnedOfTemplate = true;
  process.emitWarning('mkdtemp() templates ending with X are not portable. For details see: ' +
    'https://nodejs.org/api/fs.html');
}

function prefixOf(prefix) {
  if (typeof prefix !== 'string' && !(prefix instanceof Uint8Array) && !(prefix && prefix.href))
    throw invalidArgType('prefix', 'of type string or an instance of Buffer or URL', prefix);
  prefix = pathOf(prefix, 'prefix');
  warnOfTemplate(prefix);
  return typeof prefix === 'string' ? `${prefix}XXXXXX` : Buffer.concat([prefix, Buffer.from('XXXXXX')]);
}

module.exports = {
  accessModeOf, bufferOf, callbackOf, checkLinkType, checkOptions, copyModeOf, dataOf, descriptorOf, encodeText, fdOf, flagsOf, idOf,
  isView, joined, lengthOf, loosePosition, modeOf, nameOf, optionsOf, pathOf, positionOf, prefixOf, readRange, timeOf,
  viewsOf, wantsBytes, writeRange,
};
