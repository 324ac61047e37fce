'use strict';
// fs.cp: copies a file or a tree. Nothing is copied onto itself, into itself (whatever links lead
// to the target) or onto something of another kind.

const { PromiseResolve, over, promiseThen, stringSplit } = intrinsics;
const binding = native('fs');
const posix = require('path');
const {
  coded, invalidReturnValue, systemError, validateBoolean, validateFunction, validateInteger, validateObject,
} = require('internal/errors');
const { pathOf } = require('internal/fs/util');

// The errors' messages, and the system errors that they correspond to.
const ERRORS = {
  __proto__: null,
  ERR_FS_EISDIR: ['Path is a directory', 'EISDIR', 22],
  ERR_FS_CP_DIR_TO_NON_DIR: ['Cannot overwrite non-directory with directory', 'EISDIR', 21],
  ERR_FS_CP_NON_DIR_TO_DIR: ['Cannot overwrite directory with non-directory', 'ENOTDIR', 20],
  ERR_FS_CP_EEXIST: ['Target already exists', 'EEXIST', 17],
  ERR_FS_CP_EINVAL: ['Invalid src or dest', 'EINVAL', 22],
  ERR_FS_CP_FIFO_PIPE: ['Cannot copy a FIFO pipe', 'EINVAL', 22],
  ERR_FS_CP_SOCKET: ['Cannot copy a socket file', 'EINVAL', 22],
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: ['Cannot overwrite symlink in subdirectory of self', 'EINVAL', 22],
  ERR_FS_CP_UNKNOWN: ['Cannot copy an unknown file type', 'EINVAL', 22],
};

function copyError(code, path, message) {
  const { 0: words, 1: name, 2: errno } = ERRORS[code];
  return systemError(code, words, { message, path, syscall: 'cp', errno, code: name });
}

const isSame = (one, other) => other !== undefined && one.ino === other.ino && one.dev === other.dev;
const intoItself = (from, to) => copyError('ERR_FS_CP_EINVAL', to, `cannot copy ${from} to a subdirectory of self ${to}`);

// What is at a path, undefined for nothing. Inode numbers may need all 64 bits.
function* statOf(path, { dereference }) {
  try {
    return yield [dereference ? binding.stat : binding.lstat, path, true];
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

// Whether a path is the same as or below another one, by name.
function isWithin(path, folder) {
  const parts = stringSplit.call(posix.resolve(path), posix.sep);
  const above = stringSplit.call(posix.resolve(folder), posix.sep);
  for (let i = 0; i < above.length; i++) if (above[i] !== '' && above[i] !== parts[i]) return false;
  return true;
}

// Checks both ends of one copy; throws if they don't match. Returns { stats, there }
function* compared(from, to, options) {
  const stats = yield [options.dereference ? binding.stat : binding.lstat, from, true];
  const there = yield* over(statOf(to, options));
  if (there !== undefined) {
    if (isSame(stats, there)) throw copyError('ERR_FS_CP_EINVAL', to, 'src and dest cannot be the same');
    if (stats.isDirectory() && !there.isDirectory())
      throw copyError('ERR_FS_CP_DIR_TO_NON_DIR', to, `cannot overwrite non-directory ${to} with directory ${from}`);
    if (!stats.isDirectory() && there.isDirectory())
      throw copyError('ERR_FS_CP_NON_DIR_TO_DIR', to, `cannot overwrite directory ${to} with non-directory ${from}`);
  }
  if (stats.isDirectory() && isWithin(to, from)) throw intoItself(from, to);
  return { stats, there };
}

// The folder to be copied must not be above the target.
function* checkAbove(from, stats, to) {
  for (let path = posix.dirname(posix.resolve(to)), last = ''; path !== last; last = path, path = posix.dirname(path)) {
    const above = yield* over(statOf(path, { dereference: true }));
    if (above !== undefined && isSame(stats, above)) throw intoItself(from, to);
  }
}

function* copyLink(from, to, there, { verbatimSymlinks }) {
  let target = yield [binding.readlink, from, false];
  if (!verbatimSymlinks && !posix.isAbsolute(target)) target = posix.resolve(posix.dirname(from), target);
  if (there !== undefined && there.isSymbolicLink()) {
    const old = posix.resolve(posix.dirname(to), yield [binding.readlink, to, false]);
    const source = yield* over(statOf(from, { dereference: true }));
    if (source?.isDirectory() && isWithin(old, target))
      throw copyError('ERR_FS_CP_EINVAL', to, `cannot copy ${target} to a subdirectory of self ${old}`);
    // Removing the old link must not make the new one's target unreachable.
    const behind = yield* over(statOf(to, { dereference: true }));
    if (behind?.isDirectory() && isWithin(target, old))
      throw copyError('ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY', to, `cannot overwrite ${old} with ${target}`);
    yield [binding.unlink, to];
  }
  yield [binding.symlink, target, to];
}

// A time for utimes, which truncates to microseconds: half of one is added, so that rounding
// doesn't lose a millisecond.
const secondsOf = (ns) => Number(ns) / 1e9 + 5e-7;

function* copyFile(from, to, stats, there, options) {
  if (there !== undefined) {
    if (!options.force) {
      if (options.errorOnExist) throw copyError('ERR_FS_CP_EEXIST', to, `${to} already exists`);
      return;
    }
    yield [binding.unlink, to];
  }
  yield [binding.copyFile, from, to, options.mode];
  if (options.preserveTimestamps) yield [binding.utimes, to, secondsOf(stats.atimeNs), secondsOf(stats.mtimeNs)];
}

function* copyFolder(from, to, stats, there, options) {
  if (!options.recursive) throw copyError('ERR_FS_EISDIR', from, `${from} is a directory (not copied)`);
  if (there === undefined) yield [binding.mkdir, to, 0o777];
  const names = yield [binding.readdir, from, false, false];
  for (let i = 0; i < names.length; i++) {
    const source = posix.join(from, names[i]);
    const target = posix.join(to, names[i]);
    if (!(yield* over(isWanted(source, target, options)))) continue;
    const found = yield* over(compared(source, target, options));
    yield* over(copyEntry(source, target, found, options));
  }
  if (there === undefined) yield [binding.chmod, to, Number(stats.mode) & 0o7777];
}

function* copyEntry(from, to, { stats, there }, options) {
  if (stats.isDirectory()) yield* over(copyFolder(from, to, stats, there, options));
  else if (stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice()) yield* over(copyFile(from, to, stats, there, options));
  else if (stats.isSymbolicLink()) yield* over(copyLink(from, to, there, options));
  else if (stats.isSocket()) throw copyError('ERR_FS_CP_SOCKET', to, `cannot copy a socket file: ${to}`);
  else if (stats.isFIFO()) throw copyError('ERR_FS_CP_FIFO_PIPE', to, `cannot copy a FIFO pipe: ${to}`);
  else throw copyError('ERR_FS_CP_UNKNOWN', to, `cannot copy an unknown file type: ${to}`);
}

// The program's filter, which may be asynchronous in the asynchronous forms.
function* isWanted(from, to, { filter }) {
  if (filter === undefined) return true;
  return yield [(answer) => {
    const result = filter(from, to);
    if (answer === undefined) {
      if (typeof result?.then !== 'function') return result;
      throw invalidReturnValue('boolean', 'filter', result);
    }
    promiseThen.call(PromiseResolve(result), (value) => answer(null, value), answer);
  }];
}

function* cp(from, to, options) {
  if (!(yield* over(isWanted(from, to, options)))) return undefined;
  const found = yield* over(compared(from, to, options));
  yield* over(checkAbove(from, found.stats, to));
  yield* over(require('internal/fs/trees').mkdirp(posix.dirname(posix.resolve(to)), 0o777));
  yield* over(copyEntry(from, to, found, options));
  return undefined;
}

const CP = {
  __proto__: null, filter: undefined, verbatimSymlinks: false, dereference: false, errorOnExist: false, force: true, preserveTimestamps: false,
  recursive: false,
};

const FLAGS = ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks'];

function prepareCp(from, to, options) {
  if (options !== undefined) validateObject(options, 'options');
  const given = { __proto__: null, ...CP, ...options };
  for (let i = 0; i < FLAGS.length; i++) validateBoolean(given[FLAGS[i]], `options.${FLAGS[i]}`);
  given.mode ??= (options ?? {}).mode ?? 0; // as in Node, which has no default for it here
  validateInteger(given.mode, 'mode', 0, 7);
  if (given.filter !== undefined) validateFunction(given.filter, 'options.filter');
  if (given.dereference && given.verbatimSymlinks)
    throw coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', 'Option "dereference" cannot be used in combination with option "verbatimSymlinks"');
  return [String(pathOf(from, 'src')), String(pathOf(to, 'dest')), given];
}

module.exports = { cp, prepareCp };
