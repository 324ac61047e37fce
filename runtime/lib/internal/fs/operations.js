'use strict';
// The operations of fs that are one native call each, in all three forms.

const binding = native('fs');
const { plain } = require('internal/fs/forms');
const { Buffer } = require('buffer');
const {
  accessModeOf, copyModeOf, encodeText, fdOf, flagsOf, idOf, lengthOf, modeOf, optionsOf,
  pathOf, positionOf, prefixOf, timeOf, viewsOf, wantsBytes,
} = require('internal/fs/util');

binding.setBuffer(Buffer.prototype);

const decoded = (result, path, options) => encodeText(result, optionsOf(options, {}).encoding);

const operations = [
  plain('access', binding.access, (path, mode) => [pathOf(path), accessModeOf(mode)]),
  plain('chmod', binding.chmod, (path, mode) => [pathOf(path), modeOf(mode, 'mode')]),
  plain('fchmod', binding.fchmod, (fd, mode) => [fdOf(fd), modeOf(mode, 'mode')]),
  plain('chown', binding.chown, (path, uid, gid) => [pathOf(path), idOf(uid, 'uid'), idOf(gid, 'gid')]),
  plain('fchown', binding.fchown, (fd, uid, gid) => [fdOf(fd), idOf(uid, 'uid'), idOf(gid, 'gid')]),
  plain('lchown', binding.lchown, (path, uid, gid) => [pathOf(path), idOf(uid, 'uid'), idOf(gid, 'gid')]),
  plain('utimes', binding.utimes, (path, atime, mtime) =>
    [pathOf(path), timeOf(atime, 'atime'), timeOf(mtime, 'mtime')]),
  plain('futimes', binding.futimes, (fd, atime, mtime) =>
    [fdOf(fd), timeOf(atime, 'atime'), timeOf(mtime, 'mtime')]),
  plain('lutimes', binding.lutimes, (path, atime, mtime) =>
    [pathOf(path), timeOf(atime, 'atime'), timeOf(mtime, 'mtime')]),
  plain('mkdtemp', binding.mkdtemp, (prefix, options) =>
    [prefixOf(prefix), wantsBytes(optionsOf(options, {}).encoding)], decoded),
  plain('rename', binding.rename, (from, to) => [pathOf(from, 'oldPath'), pathOf(to, 'newPath')]),
  plain('copyFile', binding.copyFile, (from, to, mode) =>
    [pathOf(from, 'src'), pathOf(to, 'dest'), copyModeOf(mode)]),
  plain('link', binding.link, (from, to) => [pathOf(from, 'existingPath'), pathOf(to, 'newPath')]),
  plain('symlink', binding.symlink, (target, path, type) => [pathOf(target, 'target'), pathOf(path)]),
  plain('unlink', binding.unlink, (path) => [pathOf(path)]),
  plain('readlink', binding.readlink, (path, options) =>
    [pathOf(path), wantsBytes(optionsOf(options, {}).encoding)], decoded),
  plain('open', binding.open, (path, flags, mode) =>
    [pathOf(path), flagsOf(flags), modeOf(mode, 'mode', 0o666)]),
  plain('close', binding.close, (fd) => [fdOf(fd)]),
  plain('fsync', binding.fsync, (fd) => [fdOf(fd)]),
  plain('fdatasync', binding.fdatasync, (fd) => [fdOf(fd)]),
  plain('ftruncate', binding.ftruncate, (fd, length) => [fdOf(fd), lengthOf(length)]),
  plain('readv', binding.readv, (fd, buffers, position) =>
    [fdOf(fd), viewsOf(buffers), positionOf(typeof position === 'number' ? position : null)]),
  plain('writev', binding.writev, (fd, buffers, position) =>
    [fdOf(fd), viewsOf(buffers), positionOf(typeof position === 'number' ? position : null)]),
  plain('stat', binding.stat, (path, options) => [pathOf(path), Boolean(options?.bigint)]),
  plain('lstat', binding.lstat, (path, options) => [pathOf(path), Boolean(options?.bigint)]),
  plain('fstat', binding.fstat, (fd, options) => [fdOf(fd), Boolean(options?.bigint)]),
  plain('statfs', binding.statfs, (path, options) => [pathOf(path), Boolean(options?.bigint)]),
];

const table = Object.create(null);
for (const operation of operations) table[operation.callback.name] = operation;

// A path that isn't there is undefined instead of an error, if so asked for.
for (const name of ['stat', 'lstat']) {
  const { sync } = table[name];
  table[name].sync = Object.defineProperty((path, options) => {
    if (options?.throwIfNoEntry !== false) return sync(path, options);
    try {
      return sync(path, options);
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    }
  }, 'name', { value: `${name}Sync` });
}

module.exports = table;
