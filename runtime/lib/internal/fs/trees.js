'use strict';
// The operations of fs that take several native calls: making, listing, removing and
// copying trees, resolving and truncating paths. Each is written once, as a generator of
// native calls (see forms.js).

const binding = native('fs');
const posix = require('path');
const { composed } = require('internal/fs/forms');
const { makeDirents } = require('internal/fs/stats');
const { coded, uvError, validateBoolean, validateInteger } = require('internal/errors');
const c = require('internal/fs/constants');
const {
  encodeText, lengthOf, modeOf, optionsOf, pathOf, wantsBytes,
} = require('internal/fs/util');

// --- mkdir -----------------------------------------------------------------------------

const ENOTDIR = -20;
const EEXIST = -17;

// Makes a path and what is missing above it. Returns the first directory made.
function* mkdirp(target, mode) {
  const missing = [String(target)];
  let first;
  while (missing.length > 0) {
    const path = missing[missing.length - 1];
    try {
      yield [binding.mkdir, path, mode];
      first ??= path;
      missing.pop();
    } catch (error) {
      const parent = posix.dirname(path);
      if (error.code === 'ENOENT' && parent !== path && first === undefined) {
        missing.push(parent);
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
      missing.pop();
    }
  }
  return first;
}

function* mkdir(path, mode, recursive) {
  if (recursive) return yield* mkdirp(path, mode);
  yield [binding.mkdir, path, mode];
  return undefined;
}

function prepareMkdir(path, options) {
  const bare = ['number', 'string'].includes(typeof options); // the mode alone
  const { mode, recursive = false } = bare ? { mode: options } : options || {};
  validateBoolean(recursive, 'options.recursive');
  const bits = modeOf(mode, bare ? 'mode' : 'options.mode', 0o777);
  return [pathOf(path), bits, recursive];
}

// --- readdir ----------------------------------------------------------------------------

function* readdir(path, { encoding, withFileTypes, recursive }) {
  const bytes = wantsBytes(encoding);
  const encode = (name) => encodeText(name, encoding);
  if (!recursive) {
    const found = yield [binding.readdir, path, bytes, Boolean(withFileTypes)];
    if (withFileTypes) return makeDirents(found, path, encode);
    return bytes && encoding !== 'buffer' ? found.map(encode) : found;
  }
  const root = String(path);
  const result = [];
  const folders = [root];
  while (folders.length > 0) {
    const folder = folders.shift();
    const entries = makeDirents(yield [binding.readdir, folder, false, true], folder, encode);
    for (const entry of entries) {
      const full = posix.join(folder, String(entry.name));
      result.push(withFileTypes ? entry : posix.relative(root, full));
      if (entry.isDirectory()) folders.push(full);
    }
  }
  return result;
}

const prepareReaddir = (path, options) => [pathOf(path), optionsOf(options, {})];

// --- rm and rmdir --------------------------------------------------------------------------

function isDirectoryError(path) {
  const info = { code: 'EISDIR', message: 'is a directory', path, syscall: 'rm', errno: 21 };
  const error = coded(Error, 'ERR_FS_EISDIR',
    `Path is a directory: rm returned EISDIR (is a directory) ${path}`);
  return Object.assign(Object.defineProperty(error, 'name', { value: 'SystemError' }),
    { info, errno: 21, syscall: 'rm', path });
}

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
  const entries = yield [binding.readdir, path, false, false];
  for (const name of entries) yield* removeTree(posix.join(path, name));
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
  else yield* removeTree(String(path));
  return undefined;
}

const RM = { force: false, recursive: false, retryDelay: 100, maxRetries: 0 };

function prepareRm(path, options) {
  const given = { ...RM, ...options };
  for (const name of ['force', 'recursive']) validateBoolean(given[name], `options.${name}`);
  validateInteger(given.retryDelay, 'options.retryDelay', 0, 2147483647);
  validateInteger(given.maxRetries, 'options.maxRetries', 0, 4294967295);
  return [pathOf(path), given];
}

function* rmdir(path, recursive) {
  if (!recursive) {
    yield [binding.rmdir, path];
    return undefined;
  }
  const stats = yield [binding.lstat, path, false];
  if (!stats.isDirectory()) throw uvError(ENOTDIR, 'rmdir', String(path));
  yield* removeTree(String(path));
  return undefined;
}

const prepareRmdir = (path, options) => [pathOf(path), Boolean(options?.recursive)];

// --- cp ----------------------------------------------------------------------------------------

function copyError(code, message) {
  return coded(Error, code, message);
}

function* copyEntry(from, to, options) {
  if (options.filter && !options.filter(from, to)) return;
  const stats = yield [options.dereference ? binding.stat : binding.lstat, from, false];
  let there;
  try {
    there = yield [binding.lstat, to, false];
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  if (stats.isDirectory()) {
    if (!options.recursive)
      throw copyError('ERR_FS_EISDIR', `Recursive option not enabled, cannot copy a directory: ${from}`);
    if (there !== undefined && !there.isDirectory())
      throw copyError('ERR_FS_CP_DIR_TO_NON_DIR', `Cannot overwrite non-directory ${to} with directory ${from}`);
    if (there === undefined) yield* mkdirp(to, stats.mode & 0o777);
    const names = yield [binding.readdir, from, false, false];
    for (const name of names) yield* copyEntry(posix.join(from, name), posix.join(to, name), options);
    return;
  }
  if (there !== undefined) {
    if (there.isDirectory())
      throw copyError('ERR_FS_CP_NON_DIR_TO_DIR', `Cannot overwrite directory ${to} with non-directory ${from}`);
    if (options.errorOnExist && !options.force)
      throw copyError('ERR_FS_CP_EEXIST', `Target already exists: ${to}`);
    if (!options.force) return;
    yield [binding.unlink, to];
  }
  if (stats.isSymbolicLink()) {
    const target = yield [binding.readlink, from, false];
    const absolute = options.verbatimSymlinks ? target : posix.resolve(posix.dirname(from), target);
    yield [binding.symlink, absolute, to];
    return;
  }
  if (!stats.isFile()) throw copyError('ERR_FS_CP_UNKNOWN', `Cannot copy an unknown file type: ${from}`);
  yield [binding.copyFile, from, to, options.mode];
  if (options.preserveTimestamps)
    yield [binding.utimes, to, stats.atimeMs / 1000, stats.mtimeMs / 1000];
}

function* cp(from, to, options) {
  const source = posix.resolve(from);
  const target = posix.resolve(to);
  if (source === target) throw copyError('ERR_FS_CP_EINVAL', 'Invalid src or dest: cp returned EINVAL (src and dest cannot be the same) ' + to);
  const stats = yield [binding.lstat, from, false];
  if (stats.isDirectory() && target.startsWith(`${source}/`))
    throw copyError('ERR_FS_CP_EINVAL', `Cannot copy ${from} to a subdirectory of self ${to}`);
  yield* mkdirp(posix.dirname(target), 0o777);
  yield* copyEntry(from, to, options);
  return undefined;
}

const CP = { dereference: false, errorOnExist: false, force: true, preserveTimestamps: false, recursive: false, mode: 0 };

const prepareCp = (from, to, options) =>
  [String(pathOf(from, 'src')), String(pathOf(to, 'dest')), { ...CP, ...options }];

// --- realpath and truncate ------------------------------------------------------------------------

// The kernel tells that a part is missing, not which: walk down to find it, since the
// error names it.
function* realpath(path, encoding) {
  try {
    return encodeText(yield [binding.realpath, path, wantsBytes(encoding)], encoding);
  } catch (error) {
    let at = '/';
    for (const part of posix.resolve(String(path)).split('/')) {
      at = posix.join(at, part);
      yield [binding.lstat, at, false];
      yield [binding.stat, at, false];
    }
    throw error;
  }
}

const prepareRealpath = (path, options) => [pathOf(path), optionsOf(options, {}).encoding];

function* realpathNative(path, encoding) {
  return encodeText(yield [binding.realpath, path, wantsBytes(encoding)], encoding);
}

function* truncate(path, length) {
  const fd = yield [binding.open, path, c.O_RDWR, 0o666];
  try {
    yield [binding.ftruncate, fd, length];
  } finally {
    yield [binding.close, fd];
  }
  return undefined;
}

function prepareTruncate(path, length) {
  return [pathOf(path), lengthOf(length)];
}

module.exports = {
  cp: composed('cp', cp, prepareCp),
  mkdir: composed('mkdir', mkdir, prepareMkdir),
  readdir: composed('readdir', readdir, prepareReaddir),
  realpath: composed('realpath', realpath, prepareRealpath),
  realpathNative: composed('native', realpathNative, prepareRealpath),
  rm: composed('rm', rm, prepareRm),
  rmdir: composed('rmdir', rmdir, prepareRmdir),
  truncate: composed('truncate', truncate, prepareTruncate),
};
