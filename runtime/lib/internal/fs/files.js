'use strict';
// Reading and writing in fs: parts of open files, and whole files. The whole-file
// operations are one native request each, however many system calls that takes.

const binding = native('fs');
const { Buffer } = require('buffer');
const { abortedBy, invalidArgType, validateAbortSignal } = require('internal/errors');
const { named } = require('internal/fs/forms');
const c = require('internal/fs/constants');
const {
  bufferOf, callbackOf, dataOf, fdOf, flagsOf, isView, modeOf, optionsOf, pathOf,
  positionOf, readRange, writeRange,
} = require('internal/fs/util');

// --- read ----------------------------------------------------------------------------------

// read(fd, buffer, offset, length, position), read(fd, buffer, options), read(fd, options)
function readArguments(fd, buffer, offset, length, position) {
  fdOf(fd);
  if (buffer !== undefined && buffer !== null && !isView(buffer) && typeof buffer === 'object')
    ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer);
  else if (offset !== null && typeof offset === 'object')
    ({ offset, length, position } = offset);
  if (buffer === undefined) buffer = Buffer.alloc(16384);
  bufferOf(buffer);
  [offset, length] = readRange(offset, length, buffer.byteLength);
  return { fd, buffer, offset, length, position: positionOf(position) };
}

function readSync(fd, buffer, offset, length, position) {
  const a = readArguments(fd, buffer, offset, length, position);
  if (a.length === 0) return 0;
  return binding.read(a.fd, a.buffer, a.offset, a.length, a.position);
}

function read(...args) {
  const callback = callbackOf(args.pop());
  const a = readArguments(...args);
  if (a.length === 0) {
    process.nextTick(callback, null, 0, a.buffer);
    return;
  }
  binding.read(a.fd, a.buffer, a.offset, a.length, a.position,
    (error, count) => callback(error, count ?? 0, a.buffer));
}

// --- write -----------------------------------------------------------------------------------

// write(fd, buffer, offset, length, position), write(fd, buffer, options),
// write(fd, string, position, encoding)
function writeArguments(fd, buffer, offset, length, position) {
  fdOf(fd);
  if (isView(buffer)) {
    if (offset !== null && typeof offset === 'object') ({ offset, length, position } = offset);
    [offset, length] = writeRange(offset, length, buffer.byteLength);
    return { fd, bytes: buffer, offset, length, position: positionOf(typeof position === 'number' ? position : null) };
  }
  if (typeof buffer !== 'string')
    throw invalidArgType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', buffer);
  const bytes = Buffer.from(buffer, typeof length === 'string' ? length : 'utf8');
  return { fd, bytes, offset: 0, length: bytes.length, position: positionOf(typeof offset === 'number' ? offset : null) };
}

function writeSync(fd, buffer, offset, length, position) {
  const a = writeArguments(fd, buffer, offset, length, position);
  return binding.write(a.fd, a.bytes, a.offset, a.length, a.position);
}

function write(...args) {
  const callback = callbackOf(args.pop());
  const a = writeArguments(...args);
  binding.write(a.fd, a.bytes, a.offset, a.length, a.position,
    (error, count) => callback(error, count ?? 0, args[1]));
}

// --- whole files ---------------------------------------------------------------------------------

const isText = (encoding) => encoding === 'utf8' || encoding === 'utf-8';

// What is wanted of a file's content: null for the Buffer itself.
const decodeAs = (encoding) => encoding && encoding !== 'buffer' && !isText(encoding) ? encoding : null;

const READ = { flag: 'r' };

function targetOf(path) {
  return typeof path === 'number' ? fdOf(path) : pathOf(path);
}

function readFileSync(path, options) {
  options = optionsOf(options, READ);
  const content = binding.readFile(targetOf(path), flagsOf(options.flag), isText(options.encoding));
  const encoding = decodeAs(options.encoding);
  return encoding === null ? content : content.toString(encoding);
}

// Calls back early when the signal is aborted; what was under way comes to its end unseen.
function abortable(signal, callback) {
  if (signal === undefined) return callback;
  validateAbortSignal(signal, 'options.signal');
  const abort = () => {
    const call = callback;
    callback = undefined;
    call?.(abortedBy(signal));
  };
  if (signal.aborted) process.nextTick(abort);
  else signal.addEventListener('abort', abort, { once: true });
  return (...args) => {
    signal.removeEventListener('abort', abort);
    callback?.(...args);
  };
}

function readFile(path, options, callback) {
  callback = callbackOf(callback ?? options);
  options = optionsOf(options, READ);
  const encoding = decodeAs(options.encoding);
  let answer = encoding === null ? callback :
    (error, content) => error ? callback(error) : callback(null, content.toString(encoding));
  answer = abortable(options.signal, answer);
  if (options.signal?.aborted) return;
  binding.readFile(targetOf(path), flagsOf(options.flag), isText(options.encoding), answer);
}

function writeFileSync(path, data, options, flag = 'w') {
  options = optionsOf(options, { flag });
  binding.writeFile(targetOf(path), flagsOf(options.flag), modeOf(options.mode, 'mode', 0o666),
    dataOf(data, options.encoding));
}

function writeFile(path, data, options, callback, flag = 'w') {
  callback = callbackOf(callback ?? options);
  options = optionsOf(options, { flag });
  const bytes = dataOf(data, options.encoding);
  const answer = abortable(options.signal, callback);
  if (options.signal?.aborted) return;
  binding.writeFile(targetOf(path), flagsOf(options.flag), modeOf(options.mode, 'mode', 0o666), bytes, answer);
}

function appendFileSync(path, data, options) {
  writeFileSync(path, data, options, 'a');
}

function appendFile(path, data, options, callback) {
  writeFile(path, data, options, callback, 'a');
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
const custom = Symbol.for('nodejs.util.promisify.custom');
function promisified(call, ...names) {
  Object.defineProperty(call, custom, {
    value: named(call.name, (...args) => new Promise((resolve, reject) => {
      call(...args, (error, first, second) => {
        if (error) reject(error);
        else resolve({ [names[0]]: first, [names[1]]: second });
      });
    })),
  });
}
promisified(read, 'bytesRead', 'buffer');
promisified(write, 'bytesWritten', 'buffer');
Object.defineProperty(exists, custom, {
  value: (path) => new Promise((resolve) => exists(path, resolve)),
});

module.exports = {
  abortable, appendFile, appendFileSync, decodeAs, exists, existsSync, isText, promisified, read,
  readArguments, readFile, readFileSync, readSync, targetOf, write, writeArguments, writeFile,
  writeFileSync, writeSync,
};
