'use strict';
// ReadStream and WriteStream: streams over files. The file is opened when the stream is
// made and closed when the stream is destroyed.

const fs = require('fs');
const { Readable, Writable } = require('stream');
const { Buffer } = require('buffer');
const { invalidArgType, outOfRange, validateInteger } = require('internal/errors');
const { fdOf, optionsOf, pathOf } = require('internal/fs/util');

const kFs = Symbol('fs');
const kHandle = Symbol('handle');
const kBusy = Symbol('busy');
const kIdle = Symbol('idle');

// The functions that a FileHandle's descriptor is worked on with.
function handleOperations(handle) {
  const by = (promise, callback) => promise.then((value) => callback(null, value), callback);
  return {
    read: (fd, buffer, offset, length, position, callback) =>
      by(handle.read(buffer, offset, length, position), (error, value) =>
        callback(error, value?.bytesRead, value?.buffer)),
    write: (fd, buffer, offset, length, position, callback) =>
      by(handle.write(buffer, offset, length, position), (error, value) =>
        callback(error, value?.bytesWritten, value?.buffer)),
    writev: (fd, buffers, position, callback) =>
      by(handle.writev(buffers, position), (error, value) =>
        callback(error, value?.bytesWritten, value?.buffers)),
    close: (fd, callback) => by(handle.close(), (error) => callback(error)),
  };
}

function importFd(stream, options) {
  if (typeof options.fd === 'number') {
    stream[kFs] = options.fs ?? fs;
    return fdOf(options.fd);
  }
  if (options.fd !== null && typeof options.fd === 'object') {
    stream[kHandle] = options.fd;
    stream[kFs] = handleOperations(options.fd);
    return options.fd.open();
  }
  throw invalidArgType('options.fd', 'of type number or an instance of FileHandle', options.fd);
}

function setUp(stream, path, options) {
  if (options.fd === undefined || options.fd === null) {
    stream.fd = null;
    stream[kFs] = options.fs ?? fs;
    stream.path = pathOf(path);
  } else {
    stream.fd = importFd(stream, options);
    stream.path = path;
  }
  stream[kBusy] = false;
}

// The 'open' and 'ready' events come before anything of the content.
function construct(callback) {
  const stream = this;
  if (typeof stream.fd === 'number') {
    callback();
    return;
  }
  stream[kFs].open(stream.path, stream.flags, stream.mode, (error, fd) => {
    if (error) {
      callback(error);
      return;
    }
    stream.fd = fd;
    callback();
    stream.emit('open', fd);
    stream.emit('ready');
  });
}

function closeFile(stream, error, callback) {
  stream[kFs].close(stream.fd, (failed) => callback(failed || error));
  stream.fd = null;
}

// A read or write under way keeps the descriptor from being closed under it.
function destroyFile(stream, error, callback) {
  const go = (failed) => {
    if (stream.fd === null || stream.fd === undefined) callback(error || failed);
    else closeFile(stream, error || failed, callback);
  };
  if (stream[kBusy]) stream.once(kIdle, go);
  else go();
}

function idle(stream) {
  stream[kBusy] = false;
  if (stream.destroyed) stream.emit(kIdle);
}

class ReadStream extends Readable {
  constructor(path, options) {
    options = { ...optionsOf(options, {}) };
    options.highWaterMark ??= 64 * 1024;
    options.autoDestroy = options.autoClose ?? true;
    super(options);
    setUp(this, path, options);
    this.flags = options.flags === undefined ? 'r' : options.flags;
    this.mode = options.mode === undefined ? 0o666 : options.mode;
    this.start = options.start;
    this.end = options.end === undefined ? Infinity : options.end;
    this.pos = undefined;
    this.bytesRead = 0;
    if (this.start !== undefined) {
      validateInteger(this.start, 'start', 0);
      this.pos = this.start;
    }
    if (this.end !== Infinity) {
      validateInteger(this.end, 'end', 0);
      if (this.start !== undefined && this.start > this.end)
        throw outOfRange('start', `<= "end" (here: ${this.end})`, this.start);
    }
    if (options.encoding) this.setEncoding(options.encoding);
  }

  get autoClose() {
    return this._readableState.autoDestroy;
  }

  set autoClose(value) {
    this._readableState.autoDestroy = value;
  }

  get pending() {
    return this.fd === null;
  }

  _read(size) {
    const wanted = this.pos !== undefined ? Math.min(this.end - this.pos + 1, size) :
      Math.min(this.end - this.bytesRead + 1, size);
    if (wanted <= 0) {
      this.push(null);
      return;
    }
    const buffer = Buffer.allocUnsafeSlow(wanted);
    this[kBusy] = true;
    this[kFs].read(this.fd, buffer, 0, wanted, this.pos ?? null, (error, count, bytes) => {
      idle(this);
      if (this.destroyed) return;
      if (error) {
        this.destroy(error);
      } else if (count > 0) {
        if (this.pos !== undefined) this.pos += count;
        this.bytesRead += count;
        this.push(count === bytes.length ? bytes : Buffer.from(bytes.subarray(0, count)));
      } else {
        this.push(null);
      }
    });
  }

  _destroy(error, callback) {
    destroyFile(this, error, callback);
  }

  close(callback) {
    if (callback) onceClosed(this, callback);
    this.destroy();
  }
}
ReadStream.prototype._construct = construct;

function onceClosed(stream, callback) {
  if (stream.closed) process.nextTick(callback);
  else stream.once('close', () => callback());
}

class WriteStream extends Writable {
  constructor(path, options) {
    options = { ...optionsOf(options, {}) };
    options.decodeStrings = true;
    options.autoDestroy = options.autoClose ?? true;
    super(options);
    setUp(this, path, options);
    this.flags = options.flags === undefined ? 'w' : options.flags;
    this.mode = options.mode === undefined ? 0o666 : options.mode;
    this.start = options.start;
    this.pos = undefined;
    this.bytesWritten = 0;
    if (this.start !== undefined) {
      validateInteger(this.start, 'start', 0);
      this.pos = this.start;
    }
    if (options.encoding) this.setDefaultEncoding(options.encoding);
  }

  get autoClose() {
    return this._writableState.autoDestroy;
  }

  set autoClose(value) {
    this._writableState.autoDestroy = value;
  }

  get pending() {
    return this.fd === null;
  }

  #written(error, count, rest, again, callback) {
    if (error || this.destroyed) {
      idle(this);
      callback(error || undefined);
      return;
    }
    this.bytesWritten += count;
    if (this.pos !== undefined) this.pos += count;
    if (rest > count) {
      again(count);
      return;
    }
    idle(this);
    callback();
  }

  #writeRest(bytes, offset, callback) {
    this[kFs].write(this.fd, bytes, offset, bytes.length - offset, this.pos ?? null, (error, count) => {
      this.#written(error, count, bytes.length - offset,
        (done) => this.#writeRest(bytes, offset + done, callback), callback);
    });
  }

  _write(bytes, encoding, callback) {
    this[kBusy] = true;
    this.#writeRest(bytes, 0, callback);
  }

  _writev(items, callback) {
    const buffers = items.map((item) => item.chunk);
    const size = buffers.reduce((sum, chunk) => sum + chunk.length, 0);
    this[kBusy] = true;
    this[kFs].writev(this.fd, buffers, this.pos ?? null, (error, count) => {
      this.#written(error, count, size, (done) => {
        // Rare: the disk took a part. The rest is written as one piece.
        this.#writeRest(Buffer.concat(buffers).subarray(done), 0, callback);
      }, callback);
    });
  }

  _destroy(error, callback) {
    destroyFile(this, error, callback);
  }

  close(callback) {
    if (callback) onceClosed(this, callback);
    // Without autoClose nothing else would end in a close.
    if (!this.autoClose) this.once('finish', this.destroy);
    this.end();
  }
}
WriteStream.prototype._construct = construct;
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

module.exports = { ReadStream, WriteStream };
