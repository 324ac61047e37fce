'use strict';
// The operations of fs that are one native call each, in all three forms.

const binding = native('fs');
const { PromiseResolve, over } = intrinsics;
const { named, plain } = require('internal/fs/forms');
const { Buffer } = require('buffer');
const {
  accessModeOf, checkLinkType, copyModeOf, descriptorOf, encodeText, fdOf, flagsOf, idOf, lengthOf, loosePosition, modeOf, optionsOf,
  pathOf, prefixOf, timeOf, viewsOf, wantsBytes,
} = require('internal/fs/util');

binding.setBuffer(Buffer.prototype);

const TEXT = { __proto__: null, encoding: null };
const encodingOf = (options) => optionsOf(options, TEXT).encoding;
// Arguments of an operation whose result is a text, together with the encoding, which is read once.
const textArguments = (path, options) => {
  const encoding = encodingOf(options);
  return Object.assign([path, wantsBytes(encoding)], { encoding });
};
const decoded = (result, { encoding }) => encodeText(result, encoding);
// The options of stat may be anything but null.
const isBig = (options = NONE) => Boolean(options.bigint);
const NONE = { __proto__: null };

// A descriptor that is checked after the other arguments, which are computed before the call.
const fdLast = (fd, others) => [descriptorOf(fd), ...over(others)];

const operations = [
  plain('access', binding.access, (path, mode) => [pathOf(path), accessModeOf(mode)]),
  plain('chmod', binding.chmod, (path, mode) => [pathOf(path), modeOf(mode, 'mode')]),
  plain('fchmod', binding.fchmod, (fd, mode) => fdLast(fd, [modeOf(mode, 'mode')])),
  plain('chown', binding.chown, (path, uid, gid) => [pathOf(path), idOf(uid, 'uid'), idOf(gid, 'gid')]),
  plain('fchown', binding.fchown, (fd, uid, gid) => fdLast(fd, [idOf(uid, 'uid'), idOf(gid, 'gid')])),
  plain('lchown', binding.lchown, (path, uid, gid) => [pathOf(path), idOf(uid, 'uid'), idOf(gid, 'gid')]),
  plain('utimes', binding.utimes, (path, atime, mtime) =>
    [pathOf(path), timeOf(atime), timeOf(mtime)]),
  plain('futimes', binding.futimes, (fd, atime, mtime) =>
    fdLast(fd, [timeOf(atime, 'atime'), timeOf(mtime, 'mtime')])),
  plain('lutimes', binding.lutimes, (path, atime, mtime) =>
    [pathOf(path), timeOf(atime), timeOf(mtime)]),
  plain('mkdtemp', binding.mkdtemp, (prefix, options) => textArguments(prefixOf(prefix), options), decoded),
  plain('rename', binding.rename, (from, to) => [pathOf(from, 'oldPath'), pathOf(to, 'newPath')]),
  plain('copyFile', binding.copyFile, (from, to, mode) =>
    [pathOf(from, 'src'), pathOf(to, 'dest'), copyModeOf(mode)]),
  plain('link', binding.link, (from, to) => [pathOf(from, 'existingPath'), pathOf(to, 'newPath')]),
  plain('symlink', binding.symlink, (target, path, type) => {
    checkLinkType(type);
    return [pathOf(target, 'target'), pathOf(path)];
  }),
  plain('unlink', binding.unlink, (path) => [pathOf(path)]),
  plain('readlink', binding.readlink, (path, options) => textArguments(pathOf(path, 'oldPath'), options), decoded),
  plain('open', binding.open, (path, flags, mode) => {
    const target = pathOf(path);
    const bits = modeOf(mode, 'mode', 0o666);
    return [target, flagsOf(flags), bits];
  }),
  plain('close', binding.close, (fd) => [descriptorOf(fd)]),
  plain('fsync', binding.fsync, (fd) => [descriptorOf(fd)]),
  plain('fdatasync', binding.fdatasync, (fd) => [descriptorOf(fd)]),
  plain('ftruncate', binding.ftruncate, (fd, length) => fdLast(fd, [lengthOf(length)])),
  plain('readv', binding.readv, (fd, buffers, position) =>
    [fdOf(fd), viewsOf(buffers), loosePosition(position)]),
  plain('writev', binding.writev, (fd, buffers, position) =>
    [fdOf(fd), viewsOf(buffers), loosePosition(position)]),
  plain('stat', binding.stat, (path, options) => [pathOf(path), isBig(options)]),
  plain('lstat', binding.lstat, (path, options) => [pathOf(path), isBig(options)]),
  plain('fstat', binding.fstat, (fd, options) => [descriptorOf(fd), isBig(options)]),
  plain('statfs', binding.statfs, (path, options) => [pathOf(path), isBig(options)]),
];

const table = Object.create(null);
for (const operation of over(operations)) table[operation.callback.name] = operation;

// With this option a missing path gives undefined instead of an error.
const mayBeMissing = (options) =>
  options !== null && typeof options === 'object' && options.throwIfNoEntry === false;
for (const name of over(['stat', 'lstat'])) {
  const { sync } = table[name];
  table[name].sync = named(`${name}Sync`, (path, options) => {
    if (!mayBeMissing(options)) return sync(path, options);
    try {
      return sync(path, options);
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    }
  });
}

// An empty write succeeds at once; the system would report an error.
{
  const { sync, promise } = table.writev;
  const isEmpty = (fd, buffers, position) => fdOf(fd) >= 0 && viewsOf(buffers).length === 0;
  table.writev.sync = named('writevSync', (fd, buffers, position) =>
    isEmpty(fd, buffers) ? 0 : sync(fd, buffers, position));
  table.writev.promise = named('writev', (fd, buffers, position) =>
    isEmpty(fd, buffers) ? PromiseResolve(0) : promise(fd, buffers, position));
}

module.exports = table;
