'use strict';
// fs: the functions of all its parts under Node's names.

const { over } = intrinsics;
const constants = require('internal/fs/constants');
const operations = require('internal/fs/operations');
const trees = require('internal/fs/trees');
const files = require('internal/fs/files');
const { BigIntStats, Dirent, Stats } = require('internal/fs/stats');
const { named } = require('internal/fs/forms');
const { callbackOf, fdOf, timeOf, viewsOf } = require('internal/fs/util');

const fs = module.exports;

for (const { 0: name, 1: operation } of over(Object.entries({ ...operations, ...trees }))) {
  if (name === 'realpathNative' || name === 'mkdirp') continue;
  fs[name] = operation.callback;
  fs[`${name}Sync`] = operation.sync;
}
fs.realpath.native = trees.realpathNative.callback;
fs.realpathSync.native = trees.realpathNative.sync;

for (const name of over(['appendFile', 'exists', 'read', 'readFile', 'write', 'writeFile'])) {
  fs[name] = files[name];
  fs[`${name}Sync`] = files[`${name}Sync`];
}

// These two call back with the count and the buffers.
for (const { 0: name, 1: count } of over([['readv', 'bytesRead'], ['writev', 'bytesWritten']])) {
  const call = operations[name].callback;
  fs[name] = named(name, (fd, buffers, position, callback) => {
    callback ??= position;
    fdOf(fd);
    viewsOf(buffers);
    callbackOf(callback);
    if (name === 'writev' && buffers.length === 0) process.nextTick(callback, null, 0, buffers);
    else call(fd, buffers, position, (error, n) => callback(error, n ?? 0, buffers));
  });
  files.promisified(fs[name], count, 'buffers');
}

// close() without a callback throws its error.
fs.close = named('close', (fd, callback) => {
  if (callback !== undefined) callbackOf(callback);
  operations.close.callback(fd, callback ?? ((error) => {
    if (error) throw error;
  }));
});

fs._toUnixTimestamp = timeOf;

// A descriptor in place of a path, the old way.
for (const { 0: name, 1: other } of over([['truncate', 'ftruncate'], ['truncateSync', 'ftruncateSync']])) {
  const byPath = fs[name];
  fs[name] = named(name, (path, ...rest) => {
    if (typeof path !== 'number') return byPath(path, ...over(rest));
    truncateByFd();
    return fs[other](path, ...over(rest));
  });
}

let warned = false;
function truncateByFd() {
  if (warned) return;
  warned = true;
  process.emitWarning('Using fs.truncate with a file descriptor is deprecated. Please use fs.ftruncate with a file descriptor instead.',
    'DeprecationWarning', 'DEP0081');
}

fs.openAsBlob = (path, options) => require('internal/blob').openAsBlob(path, options);

Object.assign(fs, { Stats, BigIntStats, Dirent, constants });
for (const name of over(['F_OK', 'R_OK', 'W_OK', 'X_OK']))
  Object.defineProperty(fs, name, { __proto__: null, value: constants[name], enumerable: true });

// The rest is loaded when it is first used.
function lazy(module, ...names) {
  for (const name of over(names))
    Object.defineProperty(fs, name, { __proto__: null,
      get() {
        const value = require(module)[name];
        Object.defineProperty(fs, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
        return value;
      },
      set(value) {
        Object.defineProperty(fs, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
      },
      enumerable: true,
      configurable: true,
    });
}
lazy('internal/fs/dir', 'Dir', 'opendir', 'opendirSync');
lazy('internal/fs/streams', 'ReadStream', 'WriteStream');
lazy('internal/fs/streams', 'FileReadStream', 'FileWriteStream');
lazy('internal/fs/watch', 'watch', 'watchFile', 'unwatchFile', 'FSWatcher', 'StatWatcher');

fs.createReadStream = function createReadStream(path, options) {
  return new fs.ReadStream(path, options);
};
fs.createWriteStream = function createWriteStream(path, options) {
  return new fs.WriteStream(path, options);
};

Object.defineProperty(fs, 'promises', { __proto__: null,
  get: () => require('internal/fs/promises'),
  enumerable: true,
  configurable: true,
});
