'use strict';
// ReadStream and WriteStream: streams over files. The file is opened when the stream is
// made and closed when the stream is destroyed.

const fs = require('fs');
const { Buffer } = require('buffer');
const { Readable, Writable } = require('stream');
const { invalidArgType, outOfRange, validateInteger } = require('internal/errors');
const { fdOf, optionsOf, pathOf } = require('internal/fs/util');

const kFile = Symbol('file');
const CHUNK = 64 * 1024;

// The functions that a FileHandle's descriptor is worked on with, in the form of fs's.
function handleCalls(handle) {
  const told = (promise, callback, ...keys) => promise.then(
    (value) => callback(null, ...keys.map((key) => value[key])), callback);
  return {
    read: (fd, ...at) => told(handle.read(...at.slice(0, 4)), at[4], 'bytesRead', 'buffer'),
    write: (fd, ...at) => told(handle.write(...at.slice(0, 4)), at[4], 'bytesWritten', 'buffer'),
    writev: (fd, list, at, callback) => told(handle.writev(list, at), callback, 'bytesWritten', 'buffers'),
    close: (fd, callback) => told(handle.close(), callback),
  };
}

// The file under a stream, whose fd is null until it is open and after it is closed. One
// call at a time works on it, and it is not closed under a call.
class StreamFile {
  #stream;
  #calls;
  #busy = false;
  #afterwards = null;

  constructor(stream, calls) {
    this.#stream = stream;
    this.#calls = calls;
  }

  // The 'open' and 'ready' events come before anything of the content.
  open(ready) {
    const stream = this.#stream;
    if (stream.fd !== null) return void ready();
    this.#calls.open(stream.path, stream.flags, stream.mode, (error, opened) => {
      if (error) return void ready(error);
      stream.fd = opened;
      ready();
      for (const event of [['open', opened], ['ready']]) stream.emit(...event);
    });
  }

  read(bytes, at, callback) {
    this.#busy = true;
    this.#calls.read(this.#stream.fd, bytes, 0, bytes.length, at, callback);
  }

  write(bytes, from, at, callback) {
    this.#busy = true;
    this.#calls.write(this.#stream.fd, bytes, from, bytes.length - from, at, callback);
  }

  writeAll(list, at, callback) {
    this.#busy = true;
    this.#calls.writev(this.#stream.fd, list, at, callback);
  }

  // The call is over: a close that waited for it goes on.
  rest() {
    this.#busy = false;
    const next = this.#afterwards;
    this.#afterwards = null;
    next?.();
  }

  close(reason, closed) {
    if (this.#busy) {
      this.#afterwards = () => this.close(reason, closed);
      return;
    }
    const { fd } = this.#stream;
    if (fd === null) return void closed(reason);
    this.#calls.close(fd, (failed) => closed(failed || reason));
    this.#stream.fd = null;
  }
}

// What a stream is to work on: a file to open by its path, a descriptor, or a FileHandle.
function sourceOf(path, { fd = null, fs: calls = null }) {
  if (fd === null) return { fd, path: pathOf(path), calls: calls ?? fs };
  if (typeof fd === 'number') return { fd: fdOf(fd), path, calls: calls ?? fs };
  if (typeof fd === 'object') return { fd: fd.open(), path, calls: handleCalls(fd) };
  throw invalidArgType('options.fd', 'of type number or an instance of FileHandle', fd);
}

function checkRange(start, end) {
  if (start !== undefined) validateInteger(start, 'start', 0);
  if (end === Infinity) return;
  validateInteger(end, 'end', 0);
  if (start > end) throw outOfRange('start', `<= "end" (here: ${end})`, start);
}

// The options as a stream's constructor wants them, a copy.
function streamOptions(options, more) {
  const own = { ...optionsOf(options, {}) };
  own.autoDestroy = own.autoClose ?? true;
  return Object.assign(own, more(own));
}

function whenClosed(stream, callback) {
  if (stream.closed) process.nextTick(callback);
  else stream.once('close', () => callback());
}

class ReadStream extends Readable {
  constructor(path, options) {
    const own = streamOptions(options, ({ highWaterMark }) => ({ highWaterMark: highWaterMark ?? CHUNK }));
    const { flags = 'r', mode = 0o666, start, end = Infinity } = own;
    const source = sourceOf(path, own);
    checkRange(start, end);
    super(own);
    Object.assign(this, { fd: source.fd, path: source.path, flags, mode, start, end, pos: start, bytesRead: 0 });
    this[kFile] = new StreamFile(this, source.calls);
    if (own.encoding) this.setEncoding(own.encoding);
  }

  _read(size) {
    const room = this.end + 1 - (this.pos ?? this.bytesRead);
    if (room <= 0) {
      this.push(null);
      return;
    }
    const space = Buffer.allocUnsafeSlow(Math.min(room, size));
    this[kFile].read(space, this.pos ?? null, (error, count, bytes) => {
      this[kFile].rest();
      if (this.destroyed) return;
      if (error) this.destroy(error);
      else this.push(count > 0 ? this.#taken(bytes, count) : null);
    });
  }

  #taken(bytes, count) {
    this.bytesRead += count;
    if (this.pos !== undefined) this.pos += count;
    return count < bytes.length ? Buffer.from(bytes.subarray(0, count)) : bytes;
  }

  close(callback) {
    if (callback) whenClosed(this, callback);
    this.destroy();
  }
}

class WriteStream extends Writable {
  constructor(path, options) {
    const own = streamOptions(options, () => ({ decodeStrings: true }));
    const { flags = 'w', mode = 0o666, start } = own;
    const source = sourceOf(path, own);
    checkRange(start, Infinity);
    super(own);
    Object.assign(this, { fd: source.fd, path: source.path, flags, mode, start, pos: start, bytesWritten: 0 });
    this[kFile] = new StreamFile(this, source.calls);
    if (own.encoding) this.setDefaultEncoding(own.encoding);
  }

  _write(bytes, encoding, callback) {
    this.#writeFrom(bytes, 0, callback);
  }

  _writev(items, callback) {
    const list = items.map((item) => item.chunk);
    const size = list.reduce((sum, bytes) => sum + bytes.length, 0);
    this[kFile].writeAll(list, this.pos ?? null, (error, count) => {
      this.#wrote(error, count, size, callback, () => this.#writeFrom(Buffer.concat(list).subarray(count), 0, callback));
    });
  }

  #writeFrom(bytes, from, callback) {
    this[kFile].write(bytes, from, this.pos ?? null, (error, count) => {
      this.#wrote(error, count, bytes.length - from, callback, () => this.#writeFrom(bytes, from + count, callback));
    });
  }

  // Rare: the disk took a part. The rest is written as one piece.
  #wrote(error, count, size, callback, goOn) {
    if (!error && !this.destroyed) {
      this.bytesWritten += count;
      if (this.pos !== undefined) this.pos += count;
      if (count < size) {
        goOn();
        return;
      }
    }
    this[kFile].rest();
    callback(error || undefined);
  }

  close(callback) {
    if (callback) whenClosed(this, callback);
    // Without autoClose nothing else would end in a close.
    if (!this.autoClose) this.once('finish', this.destroy);
    this.end();
  }
}
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

// What both have; state is where the stream keeps whether it destroys itself.
for (const [{ prototype }, state] of [[ReadStream, '_readableState'], [WriteStream, '_writableState']]) {
  const method = (name, value) =>
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: name === '_construct' });
  const property = (name, get, set) => Object.defineProperty(prototype, name, { get, set, configurable: true });
  method('_construct', function (ready) { this[kFile].open(ready); });
  method('_destroy', function (error, done) { this[kFile].close(error, done); });
  property('pending', function () { return this.fd === null; });
  property('autoClose', function () { return this[state].autoDestroy; }, function (on) { this[state].autoDestroy = on; });
}

module.exports = { ReadStream, WriteStream };
