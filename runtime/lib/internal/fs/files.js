'use strict';
// Reading and writing in fs: parts of open files, and whole files. The whole-file operations are
// one native request each, whatever number of system calls they take.

const { SymbolFor, arrayPush, over } = intrinsics;
const binding = native('fs');
const { Buffer } = require('buffer');
const { abortedBy, invalidArgType, validateBoolean, validateObject } = require('internal/errors');
const { named } = require('internal/fs/forms');
const c = require('internal/fs/constants');
const {
  bufferOf, callbackOf, dataOf, fdOf, flagsOf, isView, loosePosition, modeOf, optionsOf, pathOf,
  positionOf, readRange, writeRange,
} = require('internal/fs/util');

// --- read ----------------------------------------------------------------------------------

// read(fd, buffer, offset, length, position), read(fd, buffer, options), read(fd, options)
function readArguments(fd, buffer, offset, length, position, isPlain = false) {
  fdOf(fd);
  if (isPlain) bufferOf(buffer);
  else if (buffer !== undefined && buffer !== null && !isView(buffer) && typeof buffer === 'object')
    ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer);
  else if (offset !== null && typeof offset === 'object')
    ({ offset, length, position } = offset);
  if (buffer === undefined) buffer = Buffer.alloc(16384);
  bufferOf(buffer);
  ({ offset, length } = readRange(offset, length, buffer));
  return { fd, buffer, offset, length, position: positionOf(position) };
}

function readSync(fd, buffer, offset, length, position) {
  fdOf(fd);
  bufferOf(buffer);
  if (arguments.length <= 3 && offset !== undefined) {
    if (offset !== null) validateObject(offset, 'options');
    ({ offset, length, position } = offset ?? {});
  }
  const a = readArguments(fd, buffer, offset, length, position);
  if (a.length === 0) return 0;
  return binding.read(a.fd, a.buffer, a.offset, a.length, a.position);
}

// read(fd[, buffer[, offset[, length[, position]]]], callback), where (fd[, options], callback)
// and (fd, buffer[, options], callback) stand for the rest.
function read(fd, buffer, offset, length, position, callback) {
  const count = arguments.length;
  const given = count > 5 ? callback : arguments[count - 1];
  if (count < 6) position = undefined;
  if (count < 5) length = undefined;
  if (count < 4) offset = undefined;
  if (count < 3) buffer = undefined;
  if (count === 3 && buffer === null) buffer = undefined;
  const a = readArguments(fd, buffer, offset, length, position, count > 4);
  callbackOf(count > 1 ? given : undefined);
  if (a.length === 0) {
    process.nextTick(given, null, 0, a.buffer);
    return;
  }
  binding.read(a.fd, a.buffer, a.offset, a.length, a.position, (error, n) => given(error, n ?? 0, a.buffer));
}

// --- write -----------------------------------------------------------------------------------

// write(fd, buffer, offset, length, position), write(fd, buffer, options),
// write(fd, string, position, encoding)
function writeArguments(fd, buffer, offset, length, position) {
  fdOf(fd);
  if (isView(buffer)) {
    if (offset !== null && typeof offset === 'object') ({ offset, length, position } = offset);
    ({ offset, length } = writeRange(offset, length, buffer.byteLength));
    return { fd, bytes: buffer, offset, length, position: loosePosition(position) };
  }
  if (typeof buffer !== 'string')
    throw invalidArgType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', buffer);
  const bytes = Buffer.from(buffer, typeof length === 'string' ? length : 'utf8');
  return { fd, bytes, offset: 0, length: bytes.length, position: loosePosition(offset) };
}

function writeSync(fd, buffer, offset, length, position) {
  const a = writeArguments(fd, buffer, offset, length, position);
  return binding.write(a.fd, a.bytes, a.offset, a.length, a.position);
}

// write(fd, buffer[, offset[, length[, position]]], callback), write(fd, string[, position[,
// encoding]], callback)
function write(fd, buffer, offset, length, position, callback) {
  const given = isView(buffer) ? callback || position || length || offset :
    typeof position === 'function' ? position : typeof offset === 'function' ? offset : length;
  // The callback and everything after it are not arguments.
  const before = [offset, length, position];
  for (let i = 0, seen = false; i < 3; i++) {
    seen ||= before[i] === given && typeof given === 'function';
    if (seen) before[i] = undefined;
  }
  const a = writeArguments(fd, buffer, before[0], before[1], before[2]);
  callbackOf(given);
  binding.write(a.fd, a.bytes, a.offset, a.length, a.position, (error, n) => given(error, n ?? 0, buffer));
}

// --- whole files ---------------------------------------------------------------------------------

const isText = (encoding) => encoding === 'utf8' || encoding === 'utf-8';

// How the content of a file is returned: null for the Buffer itself.
const decodeAs = (encoding) => encoding && encoding !== 'buffer' && !isText(encoding) ? encoding : null;

const READ = { __proto__: null, encoding: null, flag: 'r', signal: undefined };
const WRITE = { __proto__: null, encoding: 'utf8', mode: 0o666, flag: 'w', flush: false, signal: undefined };
const APPEND = { ...WRITE, __proto__: null, flag: 'a' };
// The base of the options as in Node (checkOptions): plain objects, without defaults for the other
// options.
const READ_BASE = { flag: 'r' };
const WRITE_BASE = { encoding: 'utf8', mode: 0o666, flag: 'w', flush: false };
const APPEND_BASE = { encoding: 'utf8', mode: 0o666, flag: 'a' };
const baseOf = (defaults) => defaults === READ ? READ_BASE : defaults === WRITE ? WRITE_BASE : APPEND_BASE;

function targetOf(path) {
  return path === (path | 0) ? path : pathOf(path);
}

// The synchronous form uses an empty flag as it is; the others treat it as not given.
function readFileSync(path, given) {
  const options = optionsOf(given, READ, READ_BASE);
  const flag = given !== null && typeof given === 'object' ? given.flag ?? 'r' : options.flag;
  const content = binding.readFile(targetOf(path), flagsOf(flag), isText(options.encoding));
  const encoding = decodeAs(options.encoding);
  return encoding === null ? content : content.toString(encoding);
}

// Once the signal is aborted the answer is an AbortError. It comes when the native operation has
// ended, never inside abort(), which a program calls without expecting its own callback.
function abortable(signal, callback) {
  if (!signal) return callback;
  if (signal.aborted) process.nextTick(() => callback(abortedBy(signal)));
  return (...args) => signal.aborted ? callback(abortedBy(signal)) : callback(...over(args));
}

function readFile(path, options, callback) {
  callback = callbackOf(callback || options);
  options = optionsOf(options, READ, READ_BASE);
  const encoding = decodeAs(options.encoding);
  let answer = encoding === null ? callback :
    (error, content) => error ? callback(error) : callback(null, content.toString(encoding));
  answer = abortable(options.signal, answer);
  if (options.signal?.aborted) return;
  binding.readFile(targetOf(path), flagsOf(options.flag), isText(options.encoding), answer);
}

// The native function's arguments, without the last one.
function writeArgumentsOf(path, data, options) {
  const { flag, flush, mode, encoding } = options;
  if (flush !== null) validateBoolean(flush, 'options.flush');
  const bytes = dataOf(data, encoding);
  return [targetOf(path), flagsOf(flag), modeOf(mode, 'mode', 0o666), bytes, Boolean(flush)];
}

function writeFileSync(path, data, options, defaults = WRITE) {
  const given = writeArgumentsOf(path, data, optionsOf(options, defaults, baseOf(defaults)));
  Reflect.apply(binding.writeFile, binding, given);
}

function writeFile(path, data, options, callback, defaults = WRITE) {
  callback = callbackOf(callback || options);
  options = optionsOf(options, defaults, baseOf(defaults));
  const given = writeArgumentsOf(path, data, options);
  if (typeof given[0] === 'number') fdOf(given[0]);
  const answer = abortable(options.signal, callback);
  if (options.signal?.aborted) return;
  arrayPush.call(given, answer);
  Reflect.apply(binding.writeFile, binding, given);
}

function appendFileSync(path, data, options) {
  writeFileSync(path, data, options, APPEND);
}

function appendFile(path, data, options, callback) {
  writeFile(path, data, options, callback, APPEND);
}

// --- exists -----------------------------------------------------------------------------------------

function existsSync(path) {
  try {
    return binding.existsSync(pathOf(path));
  } catch {
    return false;
  }
}

function exists(path, callback) {
  callbackOf(callback);
  try {
    binding.access(pathOf(path), c.F_OK, (error) => callback(!error));
  } catch {
    callback(false);
  }
}

// util.promisify of these gives objects with both results.
const custom = SymbolFor('nodejs.util.promisify.custom');
function promisified(call, ...names) {
  Object.defineProperty(call, custom, { __proto__: null,
    value: named(call.name, (...args) => new Promise((resolve, reject) => {
      call(...over(args), (error, first, second) => {
        if (error) reject(error);
        else resolve({ [names[0]]: first, [names[1]]: second });
      });
    })),
  });
}
promisified(read, 'bytesRead', 'buffer');
promisified(write, 'bytesWritten', 'buffer');
Object.defineProperty(exists, custom, { __proto__: null,
  value: named('exists', (path) => new Promise((resolve) => exists(path, resolve))),
});

module.exports = {
  APPEND, READ, WRITE, abortable, appendFile, appendFileSync, baseOf, decodeAs, exists, existsSync, isText, promisified, read,
  readArguments, readFile, readFileSync, readSync, targetOf, write, writeArguments, writeArgumentsOf, writeFile,
  writeFileSync, writeSync,
};
