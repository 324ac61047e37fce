'use strict';
// The operations of fs that take several native calls: making, listing and
// removing trees, resolving and truncating paths. Each is written once, as a generator of
// native calls (see forms.js).

const {
  arrayConcat, arrayMap, arrayPop, arrayPush, arraySlice, over, stringSplit,
} = intrinsics;
const binding = native('fs');
const posix = require('path');
const { composed } = require('internal/fs/forms');
const { cp, prepareCp } = require('internal/fs/copy');
const { makeDirents } = require('internal/fs/stats');
const { Buffer } = require('buffer');
const { systemError, uvError, validateBoolean, validateInteger, validateObject } = require('internal/errors');
const c = require('internal/fs/constants');
const {
  encodeText, joined, lengthOf, modeOf, nameOf, optionsOf, pathOf, wantsBytes,
} = require('internal/fs/util');

// --- mkdir -----------------------------------------------------------------------------

const ENOTDIR = -20;
const EEXIST = -17;

// Makes a path and what is missing above it: goes up to the first directory that is there or
// can be made, and then down again. Returns the first directory made.
function* mkdirp(target, mode) {
  const missing = [target];
  let first;
  let isDescending = false;
  while (missing.length > 0) {
    const path = missing[missing.length - 1];
    try {
      yield [binding.mkdir, path, mode];
      first ??= path;
    } catch (error) {
      const parent = parentOf(path);
      // On the way down, something missing below an existing directory can't be created: the
      // directory itself was removed (for example the working directory).
      if (error.code === 'ENOENT' && !isDescending && parent !== path) {
        arrayPush.call(missing, parent);
        continue;
      }
      if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR' && error.code !== 'EISDIR') throw error;
      let stats;
      try {
        stats = yield [binding.stat, path, false];
      } catch {
        throw uvError(error.errno, 'mkdir', String(target));
      }
      if (!stats.isDirectory())
        throw uvError(missing.length > 1 ? ENOTDIR : EEXIST, 'mkdir', String(target));
    }
    isDescending = true;
    arrayPop.call(missing);
  }
  return first === undefined ? undefined : String(first);
}

function parentOf(path) {
  if (typeof path === 'string') return posix.dirname(path);
  const text = Buffer.from(path).toString('latin1');
  return Buffer.from(posix.dirname(text), 'latin1');
}

function* mkdir(path, mode, recursive) {
  if (recursive) return yield* over(mkdirp(path, mode));
  yield [binding.mkdir, path, mode];
  return undefined;
}

const MKDIR = { __proto__: null, mode: undefined, recursive: false };

function prepareMkdir(path, options) {
  const bare = typeof options === 'number' || typeof options === 'string'; // the mode alone
  const { mode, recursive } = bare ? { mode: options, recursive: false } :
    optionsOf(typeof options === 'object' ? options : undefined, MKDIR);
  validateBoolean(recursive, 'options.recursive');
  const bits = mode === undefined ? 0o777 : modeOf(mode, 'mode');
  return [pathOf(path), bits, recursive];
}

// --- readdir ----------------------------------------------------------------------------

function* readdir(path, { encoding, withFileTypes, recursive }) {
  const bytes = wantsBytes(encoding);
  const encode = (name) => encodeText(name, encoding);
  if (!recursive) {
    const found = yield [binding.readdir, path, bytes, Boolean(withFileTypes)];
    if (withFileTypes) return makeDirents(found, path, encode);
    return bytes && encoding !== 'buffer' ? arrayMap.call(found, encode) : found;
  }
  const result = [];
  const folders = [{ folder: path, within: '' }];
  // By index, since the list grows meanwhile.
  for (let i = 0; i < folders.length; i++) {
    const { folder, within } = folders[i];
    const found = yield [binding.readdir, folder, bytes, true];
    const entries = makeDirents(found, folder, encode);
    for (let k = 0; k < entries.length; k++) {
      const entry = entries[k];
      const full = joined(folder, bytes ? nameOf(found[2 * k]) : found[2 * k]);
      const name = within === '' ? entry.name : joined(within, entry.name);
      arrayPush.call(result, withFileTypes ? entry : name);
      // Lists of names follow links to directories, lists of entries don't.
      if (entry.isDirectory() || (!withFileTypes && entry.isSymbolicLink() && (yield* over(leadsToDirectory(full)))))
        arrayPush.call(folders, { folder: full, within: name });
    }
  }
  return result;
}

function* leadsToDirectory(path) {
  try {
    return (yield [binding.stat, path, false]).isDirectory();
  } catch {
    return false;
  }
}

const READDIR = { __proto__: null, encoding: null, withFileTypes: false, recursive: false };

function prepareReaddir(path, options) {
  const given = optionsOf(options, READDIR);
  if (given.recursive !== null) validateBoolean(given.recursive, 'options.recursive');
  return [pathOf(path), given];
}

// --- rm and rmdir --------------------------------------------------------------------------

const isDirectoryError = (path) => systemError('ERR_FS_EISDIR', 'Path is a directory',
  { code: 'EISDIR', message: 'is a directory', path, syscall: 'rm', errno: 21 });

// Names that aren't UTF-8 are handled as bytes throughout.
function* removeTree(path) {
  let stats;
  try {
    stats = yield [binding.lstat, path, false];
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (!stats.isDirectory()) {
    yield [binding.unlink, path];
    return;
  }
  const entries = yield [binding.readdir, path, true, false];
  for (let i = 0; i < entries.length; i++) yield* over(removeTree(joined(path, nameOf(entries[i]))));
  yield [binding.rmdir, path];
}

function* rm(path, { force, recursive }) {
  let stats;
  try {
    stats = yield [binding.lstat, path, false];
  } catch (error) {
    if (force && error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (!stats.isDirectory()) yield [binding.unlink, path];
  else if (!recursive) throw isDirectoryError(path);
  else yield* over(removeTree(path));
  return undefined;
}

const RM = { __proto__: null, force: false, recursive: false, retryDelay: 100, maxRetries: 0 };

function prepareRm(path, options) {
  const target = pathOf(path);
  if (options !== undefined) validateObject(options, 'options');
  const given = { __proto__: null, ...RM, ...options };
  validateBoolean(given.force, 'options.force');
  validateBoolean(given.recursive, 'options.recursive');
  validateInteger(given.retryDelay, 'options.retryDelay', 0, 2147483647);
  validateInteger(given.maxRetries, 'options.maxRetries', 0, 4294967295);
  return [target, given];
}

function* rmdir(path, recursive, refused) {
  if (refused && (yield [binding.lstat, path, false]).isDirectory()) throw isDirectoryError(path);
  if (!recursive) {
    yield [binding.rmdir, path];
    return undefined;
  }
  const stats = yield [binding.lstat, path, false];
  if (!stats.isDirectory()) throw uvError(ENOTDIR, 'rmdir', String(path));
  yield* over(removeTree(path));
  return undefined;
}

const RMDIR = { __proto__: null, recursive: false, retryDelay: 100, maxRetries: 0 };
let warnedOfRmdir = false;

function prepareRmdir(path, options) {
  const target = pathOf(path);
  if (options !== undefined) validateObject(options, 'options');
  // As in Node, an inherited `recursive` makes rmdir behave like rm, which then ignores it.
  if (options?.recursive && !Object.hasOwn(options, 'recursive')) return [target, false, true];
  const given = { __proto__: null, ...RMDIR, ...options };
  validateBoolean(given.recursive, 'options.recursive');
  validateInteger(given.retryDelay, 'options.retryDelay', 0, 2147483647);
  validateInteger(given.maxRetries, 'options.maxRetries', 0, 4294967295);
  if (given.recursive && !warnedOfRmdir) {
    warnedOfRmdir = true;
    process.emitWarning('In future versions of Node.js, fs.rmdir(path, { recursive: true }) will be removed. ' +
      'Use fs.rm(path, { recursive: true }) instead', 'DeprecationWarning', 'DEP0147');
  }
  return [target, given.recursive];
}

// --- realpath and truncate ------------------------------------------------------------------------

// The kernel is asked first. If that fails, the path is resolved link by link: then the error names
// the missing part, and an object without a name (a pipe) is no error.
function* realpath(path, encoding) {
  try {
    return encodeText(yield [binding.realpath, path, wantsBytes(encoding)], encoding);
  } catch {
    const found = yield* over(walk(posix.resolve(String(path))));
    return wantsBytes(encoding) ? encodeText(Buffer.from(found), encoding) : found;
  }
}

function* exists(path) {
  try {
    yield [binding.lstat, path, false];
    return true;
  } catch {
    return false;
  }
}

function* walk(path) {
  let at = '/';
  let rest = stringSplit.call(path, '/');
  for (let i = 0; i < rest.length; i++) {
    const next = posix.join(at, rest[i]);
    const stats = yield [binding.lstat, next, false];
    if (!stats.isSymbolicLink()) {
      at = next;
      continue;
    }
    const end = yield [binding.stat, next, false];
    const target = posix.resolve(at, yield [binding.readlink, next, false]);
    if ((end.isFIFO() || end.isSocket()) && !(yield* over(exists(target)))) return target;
    rest = arrayConcat.call(stringSplit.call(target, '/'), arraySlice.call(rest, i + 1));
    at = '/';
    i = -1;
  }
  return at;
}

const TEXT = { __proto__: null, encoding: null };
const prepareRealpath = (path, options) => [pathOf(path), optionsOf(options, TEXT).encoding];
// realpath accepts any value as a path.
const prepareLooseRealpath = (path, options) =>
  prepareRealpath(path instanceof Uint8Array || path?.href ? path : `${path}`, options);

function* realpathNative(path, encoding) {
  return encodeText(yield [binding.realpath, path, wantsBytes(encoding)], encoding);
}

function* truncate(path, length) {
  const fd = yield [binding.open, path, c.O_RDWR, 0o666];
  try {
    yield [binding.ftruncate, fd, lengthOf(length)];
  } finally {
    yield [binding.close, fd];
  }
  return undefined;
}

function prepareTruncate(path, length) {
  const bytes = lengthOf(length);
  return [pathOf(path), bytes];
}

module.exports = {
  mkdirp,
  cp: composed('cp', cp, prepareCp),
  mkdir: composed('mkdir', mkdir, prepareMkdir),
  readdir: composed('readdir', readdir, prepareReaddir),
  realpath: composed('realpath', realpath, prepareLooseRealpath),
  realpathNative: composed('native', realpathNative, prepareRealpath),
  rm: composed('rm', rm, prepareRm),
  rmdir: composed('rmdir', rmdir, prepareRmdir),
  // With a callback, a wrong length is reported before the file is opened.
  truncate: {
    ...composed('truncate', truncate, (path, length) => [pathOf(path), length]),
    callback: composed('truncate', truncate, prepareTruncate).callback,
  },
};
