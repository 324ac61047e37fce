'use strict';
// fs.promises: the promise forms, and FileHandle.

const binding = native('fs');
const EventEmitter = require('events');
const { abortedBy, coded, notImplemented, validateAbortSignal, validateInteger } = require('internal/errors');
const operations = require('internal/fs/operations');
const trees = require('internal/fs/trees');
const { named } = require('internal/fs/forms');
const files = require('internal/fs/files');
const {
  dataOf, flagsOf, modeOf, optionsOf, pathOf, positionOf, viewsOf,
} = require('internal/fs/util');

const promised = (call) => named(call.name, (...args) => {
  try {
    return call(...args);
  } catch (error) {
    return Promise.reject(error);
  }
});

const { isText, decodeAs } = files;

// A path, a descriptor or a FileHandle as the native whole-file functions take it.
function targetOf(target) {
  if (target instanceof FileHandle) return target.open();
  return pathOf(target);
}

const READ = { flag: 'r' };

const readFile = promised(function readFile(path, options) {
  // The common call, without options, takes the short way.
  if (typeof path === 'string' && options === undefined)
    return binding.readFile(pathOf(path), 0, false, null);
  options = optionsOf(options, READ);
  if (options.signal !== undefined) return withSignal(options.signal, readNow(path, options));
  return readNow(path, options);
});

function readNow(path, options) {
  if (options.signal?.aborted) return undefined;
  const encoding = decodeAs(options.encoding);
  const content = binding.readFile(targetOf(path), flagsOf(options.flag), isText(options.encoding), null);
  return encoding === null ? content : content.then((bytes) => bytes.toString(encoding));
}

function withSignal(signal, promise) {
  validateAbortSignal(signal, 'options.signal');
  const aborted = () => abortedBy(signal);
  if (signal.aborted) return Promise.reject(aborted());
  return new Promise((resolve, reject) => {
    const abort = () => reject(aborted());
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const isStreamed = (data) => data !== null && typeof data === 'object' && !ArrayBuffer.isView(data) &&
  (typeof data[Symbol.asyncIterator] === 'function' || typeof data[Symbol.iterator] === 'function');

async function writeStreamed(target, data, options) {
  const own = !(target instanceof FileHandle);
  const handle = own ? await open(target, options.flag, options.mode) : target;
  try {
    for await (const chunk of data) {
      if (options.signal?.aborted) throw abortedBy(options.signal);
      await writeAll(handle, dataOf(chunk, options.encoding));
    }
  } finally {
    if (own) await handle.close();
  }
}

async function writeAll(handle, bytes) {
  await binding.writeFile(handle.open(), 0, 0, bytes, null);
}

function write(target, data, options, flag) {
  options = optionsOf(options, { encoding: 'utf8', mode: 0o666, flag });
  if (isStreamed(data)) return writeStreamed(target, data, options);
  const bytes = dataOf(data, options.encoding);
  const start = () => binding.writeFile(targetOf(target), flagsOf(options.flag),
    modeOf(options.mode, 'mode', 0o666), bytes, null);
  if (options.signal === undefined) return start();
  return withSignal(options.signal, options.signal.aborted ? undefined : start());
}

const writeFile = promised(function writeFile(path, data, options) {
  return write(path, data, options, 'w');
});

const appendFile = promised(function appendFile(path, data, options) {
  return write(path, data, options, 'a');
});

// --- FileHandle -------------------------------------------------------------------------------

// One that is dropped unclosed is closed when the collector finds it.
const forgotten = new FinalizationRegistry((fd) => {
  process.emitWarning(`Closing file descriptor ${fd} on garbage collection`);
  binding.close(fd, () => {});
});

class FileHandle extends EventEmitter {
  #fd;
  #closing;

  constructor(fd) {
    super();
    this.#fd = fd;
    forgotten.register(this, fd, this);
  }

  get fd() {
    return this.#fd;
  }

  // The descriptor of an open handle.
  open() {
    if (this.#fd === -1) throw Object.assign(coded(Error, 'EBADF', 'file closed'), { syscall: 'read' });
    return this.#fd;
  }

  close() {
    if (this.#fd === -1) return this.#closing ?? Promise.resolve();
    const fd = this.#fd;
    this.#fd = -1;
    forgotten.unregister(this);
    this.#closing = binding.close(fd, null).then(() => {
      this.#closing = undefined;
      this.emit('close');
    });
    return this.#closing;
  }

  async read(buffer, offset, length, position) {
    if (buffer === undefined) buffer = {};
    const a = files.readArguments(this.open(), buffer, offset, length, position);
    const bytesRead = a.length === 0 ? 0 :
      await binding.read(a.fd, a.buffer, a.offset, a.length, a.position, null);
    return { __proto__: null, bytesRead, buffer: a.buffer };
  }

  async readv(buffers, position) {
    const at = positionOf(typeof position === 'number' ? position : null);
    const bytesRead = await binding.readv(this.open(), viewsOf(buffers), at, null);
    return { __proto__: null, bytesRead, buffers };
  }

  async write(buffer, offset, length, position) {
    let bytesWritten = 0;
    if (buffer?.byteLength !== 0) {
      const a = files.writeArguments(this.open(), buffer, offset, length, position);
      bytesWritten = await binding.write(a.fd, a.bytes, a.offset, a.length, a.position, null);
    }
    return { __proto__: null, bytesWritten, buffer };
  }

  async writev(buffers, position) {
    const at = positionOf(typeof position === 'number' ? position : null);
    const bytesWritten = buffers.length > 0 ? await binding.writev(this.open(), viewsOf(buffers), at, null) : 0;
    return { __proto__: null, bytesWritten, buffers };
  }

  readFile(options) { return readFile(this, options); }
  writeFile(data, options) { return writeFile(this, data, options); }
  appendFile(data, options) { return appendFile(this, data, options); }
  async stat(options) { return operations.fstat.promise(this.open(), options); }
  async truncate(length) { return operations.ftruncate.promise(this.open(), length); }
  async chmod(mode) { return operations.fchmod.promise(this.open(), mode); }
  async chown(uid, gid) { return operations.fchown.promise(this.open(), uid, gid); }
  async utimes(atime, mtime) { return operations.futimes.promise(this.open(), atime, mtime); }
  async sync() { return operations.fsync.promise(this.open()); }
  async datasync() { return operations.fdatasync.promise(this.open()); }

  createReadStream(options) {
    validateInteger(this.fd, 'fd', 0, 2 ** 31 - 1);
    const { ReadStream } = require('internal/fs/streams');
    return new ReadStream(undefined, { ...options, fd: this });
  }

  readLines(options) {
    return new (require('internal/lines'))(this.createReadStream(options));
  }

  readableWebStream() {
    throw notImplemented('FileHandle.prototype.readableWebStream');
  }

  createWriteStream(options) {
    validateInteger(this.fd, 'fd', 0, 2 ** 31 - 1);
    const { WriteStream } = require('internal/fs/streams');
    return new WriteStream(undefined, { ...options, fd: this });
  }
}
FileHandle.prototype[Symbol.asyncDispose] = function () { return this.close(); };

const openFile = operations.open.promise;
async function open(path, flags, mode) {
  return new FileHandle(await openFile(path, flags, mode));
}

const opendir = promised(function opendir(path, options) {
  return new Promise((resolve, reject) => {
    require('internal/fs/dir').opendir(path, options, (error, dir) => error ? reject(error) : resolve(dir));
  });
});

const promises = { appendFile, constants: require('internal/fs/constants'), open, opendir, readFile, writeFile };
for (const name of ['access', 'chmod', 'chown', 'copyFile', 'lchown', 'link', 'lstat', 'lutimes', 'mkdtemp',
  'readlink', 'rename', 'stat', 'statfs', 'symlink', 'unlink', 'utimes'])
  promises[name] = operations[name].promise;
for (const name of ['cp', 'mkdir', 'readdir', 'realpath', 'rm', 'rmdir', 'truncate'])
  promises[name] = trees[name].promise;
promises.realpath = named('realpath', trees.realpathNative.promise);

promises.watch = (path, options) => require('internal/fs/watch').iterate(path, options);
promises.FileHandle = FileHandle;
Object.defineProperty(promises, 'FileHandle', { enumerable: false });

module.exports = promises;
