'use strict';
// fs.promises: the promise forms, and FileHandle.

const { ArrayBufferIsView, PromiseReject, PromiseResolve, given, over, promiseThen } = intrinsics;
const binding = native('fs');
const EventEmitter = require('events');
const { abortedBy, coded, notImplemented, validateBoolean, validateInteger } = require('internal/errors');
const operations = require('internal/fs/operations');
const trees = require('internal/fs/trees');
const { named } = require('internal/fs/forms');
const files = require('internal/fs/files');
const {
  dataOf, flagsOf, loosePosition, modeOf, optionsOf, pathOf, viewsOf,
} = require('internal/fs/util');

const kOpen = Symbol('open');
const kUse = Symbol('use');
const kLeave = Symbol('leave');

const promised = (call) => named(call.name, (...args) => {
  try {
    return Reflect.apply(call, undefined, args);
  } catch (error) {
    return PromiseReject(error);
  }
});

const { isText, decodeAs } = files;

// A path or a FileHandle for the native whole-file functions.
function targetOf(target, call) {
  if (target instanceof FileHandle) return target[kOpen](call);
  return pathOf(target);
}

const { APPEND, READ, WRITE } = files;
const PLAIN = {};
const READ_BASE = { encoding: null, flag: 'r' }; // as in Node, which reads the encoding later

const readFile = promised(function readFile(path, options) {
  // Fast path for the common call without options.
  if (typeof path === 'string' && options === undefined && PLAIN.signal === undefined)
    return binding.readFile(pathOf(path), 0, false, null);
  options = optionsOf(options, READ, READ_BASE);
  return withSignal(options.signal, () => {
    const encoding = decodeAs(options.encoding);
    const content = binding.readFile(targetOf(path, 'readFile'), flagsOf(options.flag), isText(options.encoding), null);
    return encoding === null ? content : promiseThen.call(content, (bytes) => bytes.toString(encoding));
  });
});

// The promise of a call that is rejected early when the signal is aborted; the native operation
// ends unnoticed.
function withSignal(signal, start) {
  if (!signal) return start();
  if (signal.aborted) return PromiseReject(abortedBy(signal));
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortedBy(signal));
    const stop = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    promiseThen.call(start(), (value) => {
      stop();
      resolve(value);
    }, (error) => {
      stop();
      reject(error);
    });
  });
}

const isStreamed = (data) => data !== null && typeof data === 'object' && !ArrayBufferIsView(data) &&
  (typeof data[Symbol.asyncIterator] === 'function' || typeof data[Symbol.iterator] === 'function');

async function writeStreamed(target, data, options) {
  const own = !(target instanceof FileHandle);
  const handle = own ? await open(target, options.flag, options.mode) : target;
  const { encoding, signal } = options;
  try {
    for await (const chunk of given(data)) {
      if (signal?.aborted) throw abortedBy(signal);
      await binding.writeFile(handle[kOpen]('writeFile'), 0, 0, dataOf(chunk, encoding), false, null);
    }
    if (options.flush) await handle.sync();
  } finally {
    if (own) await handle.close();
  }
}

function write(target, data, wanted, defaults) {
  const options = optionsOf(wanted, defaults, files.baseOf(defaults));
  const { signal } = options;
  if (options.flush !== null) validateBoolean(options.flush, 'options.flush');
  if (isStreamed(data)) return withSignal(signal, () => writeStreamed(target, data, options));
  const bytes = dataOf(data, options.encoding);
  return withSignal(signal, () => binding.writeFile(targetOf(target, 'writeFile'), flagsOf(options.flag),
    modeOf(options.mode, 'mode', 0o666), bytes, Boolean(options.flush), null));
}

const writeFile = promised(function writeFile(path, data, options) {
  return write(path, data, options, WRITE);
});

const appendFile = promised(function appendFile(path, data, options) {
  return write(path, data, options, APPEND);
});

// --- FileHandle -------------------------------------------------------------------------------

// A FileHandle that is collected without being closed is closed then.
const forgotten = new FinalizationRegistry((fd) => {
  process.emitWarning(`Closing file descriptor ${fd} on garbage collection`);
  binding.close(fd, () => {});
});

class FileHandle extends EventEmitter {
  #fd;
  #closing;
  #settle; // resolves a close that waits for streams
  #users = 1;

  constructor(fd) {
    super();
    this.#fd = fd;
    forgotten.register(this, fd, this);
  }

  get fd() {
    return this.#fd;
  }

  // The descriptor of an open handle, for the call of this name.
  [kOpen](syscall) {
    if (this.#fd === -1) throw Object.assign(coded(Error, 'EBADF', 'file closed'), { syscall });
    return this.#fd;
  }

  // The file is closed when neither the handle nor a stream uses it any more.
  close() {
    if (this.#fd === -1) return this.#closing ?? PromiseResolve();
    if (this.#closing !== undefined) return this.#closing;
    this.#closing = this.#users === 1 ? this.#closeFile() : new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#users--;
    this.emit('close');
    return this.#closing;
  }

  #closeFile() {
    const fd = this.#fd;
    this.#fd = -1;
    forgotten.unregister(this);
    return promiseThen.call(binding.close(fd, null), () => { this.#closing = undefined; });
  }

  [kUse]() {
    this.#users++;
  }

  [kLeave]() {
    this.#users--;
    if (this.#users === 0 && this.#settle !== undefined) promiseThen.call(this.#closeFile(), this.#settle.resolve, this.#settle.reject);
  }

  async read(buffer, offset, length, position) {
    const fd = this[kOpen]('read');
    if (buffer === undefined || buffer === null) buffer = {};
    const a = files.readArguments(fd, buffer, offset, length, position);
    const bytesRead = a.length === 0 ? 0 :
      await binding.read(a.fd, a.buffer, a.offset, a.length, a.position, null);
    return { __proto__: null, bytesRead, buffer: a.buffer };
  }

  async readv(buffers, position) {
    const bytesRead = await binding.readv(this[kOpen]('readv'), viewsOf(buffers), loosePosition(position), null);
    return { __proto__: null, bytesRead, buffers };
  }

  async write(buffer, offset, length, position) {
    const fd = this[kOpen]('write');
    let bytesWritten = 0;
    if (buffer?.byteLength !== 0) {
      const a = files.writeArguments(fd, buffer, offset, length, position);
      bytesWritten = await binding.write(a.fd, a.bytes, a.offset, a.length, a.position, null);
    }
    return { __proto__: null, bytesWritten, buffer };
  }

  async writev(buffers, position) {
    const fd = this[kOpen]('writev');
    viewsOf(buffers);
    const bytesWritten = buffers.length === 0 ? 0 : await binding.writev(fd, buffers, loosePosition(position), null);
    return { __proto__: null, bytesWritten, buffers };
  }

  readFile(options) { return readFile(this, options); }
  writeFile(data, options) { return writeFile(this, data, options); }
  appendFile(data, options) { return appendFile(this, data, options); }
  async stat(options) { return operations.fstat.promise(this[kOpen]('fstat'), options); }
  async truncate(length) { return operations.ftruncate.promise(this[kOpen]('ftruncate'), length); }
  async chmod(mode) { return operations.fchmod.promise(this[kOpen]('fchmod'), mode); }
  async chown(uid, gid) { return operations.fchown.promise(this[kOpen]('fchown'), uid, gid); }
  async utimes(atime, mtime) { return operations.futimes.promise(this[kOpen]('futimes'), atime, mtime); }
  async sync() { return operations.fsync.promise(this[kOpen]('fsync')); }
  async datasync() { return operations.fdatasync.promise(this[kOpen]('fdatasync')); }

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
for (const name of over(['access', 'chmod', 'chown', 'copyFile', 'lchown', 'link', 'lstat', 'lutimes', 'mkdtemp',
  'readlink', 'rename', 'stat', 'statfs', 'symlink', 'unlink', 'utimes']))
  promises[name] = operations[name].promise;
for (const name of over(['cp', 'mkdir', 'readdir', 'realpath', 'rm', 'rmdir', 'truncate']))
  promises[name] = trees[name].promise;
// As in Node, a plain object is the base here, and only here (checkOptions).
const { readdir } = promises;
promises.readdir = named('readdir', (path, options) => {
  if (options !== undefined && options !== null && typeof options !== 'object') return readdir(path, options);
  const { encoding, recursive, withFileTypes } = options ?? {};
  return readdir(path, { encoding, recursive: Boolean(recursive), withFileTypes }); // any value is allowed for `recursive`
});
promises.realpath = named('realpath', trees.realpathNative.promise);

promises.watch = (path, options) => require('internal/fs/watch').iterate(path, options);
promises.FileHandle = FileHandle;
Object.defineProperty(promises, 'FileHandle', { __proto__: null, enumerable: false });
Object.defineProperty(promises, 'handleUse', { __proto__: null, value: { kLeave, kUse } });

module.exports = promises;
