'use strict';
// ReadStream and WriteStream: streams over files. The file is opened when the stream is
// made and closed when the stream is destroyed. Both are plain functions, so that they can be
// called without `new` and on objects of others (graceful-fs and others subclass like that).

const { over, promiseThen } = intrinsics;
const fs = require('fs');
const { Buffer } = require('buffer');
const { Readable, Writable } = require('stream');
const { errorOrDestroy } = require('internal/streams/destroy');
const {
  coded, invalidArgType, outOfRange, validateBoolean, validateFunction, validateInteger,
} = require('internal/errors');
const { checkOptions, fdOf, pathOf } = require('internal/fs/util');

const kFile = Symbol('file');
const CHUNK = 64 * 1024;

// The functions for a FileHandle's descriptor, in the form of those of fs.
function handleCalls(handle, { kLeave, kUse }) {
  handle[kUse]();
  const answer = (promise, callback, first, second) => promiseThen.call(promise, (value) => first === undefined ? callback(null) : callback(null, value[first], value[second]), callback);
  return {
    __proto__: null,
    open() {},
    read: (fd, bytes, offset, length, at, callback) =>
      answer(handle.read(bytes, offset, length, at), callback, 'bytesRead', 'buffer'),
    write: (fd, bytes, offset, length, at, callback) =>
      answer(handle.write(bytes, offset, length, at), callback, 'bytesWritten', 'buffer'),
    writev: (fd, list, at, callback) => answer(handle.writev(list, at), callback, 'bytesWritten', 'buffers'),
    fsync: (fd, callback) => answer(handle.sync(), callback),
    close(fd, callback) {
      handle[kLeave]();
      answer(handle.close(), callback);
    },
  };
}

// The file of a stream; its fd is null until it is open and after it is closed. One call at a time
// works on it, and it isn't closed during a call.
class StreamFile {
  #stream;
  #calls;
  #busy = false;
  #afterwards = null;

  constructor(stream, calls) {
    this.#stream = stream;
    this.#calls = calls;
  }

  // The 'open' and 'ready' events come before any content.
  open(ready) {
    const stream = this.#stream;
    if (typeof stream.fd === 'number') return void ready();
    if (stream.open !== open) return void openByOwn(stream, ready);
    this.#calls.open(stream.path, stream.flags, stream.mode, (error, opened) => {
      if (error) return void ready(error);
      stream.fd = opened;
      ready();
      stream.emit('open', opened);
      stream.emit('ready');
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

  // A call has ended: a close that waited for it continues.
  rest() {
    this.#busy = false;
    const next = this.#afterwards;
    this.#afterwards = null;
    next?.();
  }

  close(reason, flush, closed) {
    if (this.#busy) {
      this.#afterwards = () => this.close(reason, flush, closed);
      return;
    }
    const { fd } = this.#stream;
    if (fd === null) return void closed(reason);
    const finish = (problem) => {
      this.#calls.close(fd, (failed) => closed(failed || problem));
      this.#stream.fd = null;
    };
    if (flush && !reason) this.#calls.fsync(fd, (failed) => finish(failed || reason));
    else finish(reason);
  }
}

// A stream with its own `open` reports by its events that it is open.
function openByOwn(stream, ready) {
  const { emit } = stream;
  stream.emit = function (event, ...rest) {
    if (event === 'open' || event === 'error') this.emit = emit;
    if (event === 'error') return void ready(rest[0]);
    if (event === 'open') ready();
    return Reflect.apply(emit, this, [event, ...over(rest)]);
  };
  stream.open();
}

// Kept for programs that replace it.
let warned = false;
function open() {
  if (warned) return;
  warned = true;
  const kind = this instanceof ReadStream ? 'ReadStream' : 'WriteStream';
  process.emitWarning(`${kind}.prototype.open() is deprecated`, 'DeprecationWarning', 'DEP0135');
}

// The source of a stream: a file to open by its path, a descriptor, or a FileHandle. Sets the
// properties that show it and returns the functions to call.
function openSource(stream, path, options, flags) {
  const { fd, fs: given } = options;
  const calls = given || fs;
  if (fd === undefined || fd === null) {
    stream.fd = null;
    validateFunction(calls.open, 'options.fs.open');
    stream.path = pathOf(path);
    stream.flags = options.flags === undefined ? flags : options.flags;
    stream.mode = options.mode === undefined ? 0o666 : options.mode;
    return calls;
  }
  if (typeof fd === 'number') {
    stream.fd = fdOf(fd);
    return calls;
  }
  const { FileHandle, handleUse } = require('internal/fs/promises');
  if (typeof fd !== 'object' || !(fd instanceof FileHandle))
    throw invalidArgType('options.fd', 'of type number or an instance of FileHandle', fd);
  if (given)
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The FileHandle with fs method is not implemented');
  stream.fd = fd.fd;
  fd.on('close', () => stream.close());
  return handleCalls(fd, handleUse);
}

const STREAM = { __proto__: null, encoding: undefined, signal: undefined };

// A copy of the options for a stream's constructor.
function copyOptions(options) {
  const given = checkOptions(options, STREAM, {});
  const own = { __proto__: null };
  for (const name in given) own[name] = given[name]; // inherited ones count, as in Node
  own.autoDestroy = own.autoClose === undefined ? true : own.autoClose;
  return own;
}

function checkRange(start, end) {
  if (start !== undefined) validateInteger(start, 'start', 0);
  if (end === Infinity) return;
  validateInteger(end, 'end', 0);
  if (start !== undefined && start > end) throw outOfRange('start', `<= "end" (here: ${end})`, start);
}

function whenClosed(stream, callback) {
  if (stream.closed) process.nextTick(callback);
  else stream.once('close', () => callback());
}

// --- ReadStream ---------------------------------------------------------------------------------

function ReadStream(path, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(path, options);
  const own = copyOptions(options);
  if (own.highWaterMark === undefined) own.highWaterMark = CHUNK;
  const calls = openSource(this, path, own, 'r');
  validateFunction(calls.read, 'options.fs.read');
  if (own.autoDestroy) validateFunction(calls.close, 'options.fs.close');
  const { encoding, end = Infinity, start } = own;
  this.start = start;
  this.end = end;
  this.pos = start;
  this.bytesRead = 0;
  checkRange(start, this.end);
  Object.defineProperty(this, kFile, { __proto__: null, value: new StreamFile(this, calls) });
  Reflect.apply(Readable, this, [own]);
  if (encoding) this.setEncoding(encoding);
}

ReadStream.prototype._read = function (size) {
  const room = this.end + 1 - (this.pos ?? this.bytesRead);
  if (room <= 0) {
    this.push(null);
    return;
  }
  const space = Buffer.allocUnsafeSlow(Math.min(room, size));
  const file = this[kFile];
  file.read(space, this.pos ?? null, (error, count, bytes) => {
    file.rest();
    if (this.destroyed) return;
    if (error) errorOrDestroy(this, error);
    else this.push(count > 0 ? taken(this, bytes, count) : null);
  });
};

function taken(stream, bytes, count) {
  stream.bytesRead += count;
  if (stream.pos !== undefined) stream.pos += count;
  // A copy, so that the chunk doesn't keep the unused memory alive.
  return count < bytes.length ? Buffer.from(bytes.subarray(0, count)) : bytes;
}

ReadStream.prototype._destroy = function (error, done) {
  this[kFile].close(error, false, done);
};

ReadStream.prototype.close = function (callback) {
  if (callback) whenClosed(this, callback);
  this.destroy();
};

// --- WriteStream --------------------------------------------------------------------------------

function checkWriting(calls, { autoDestroy, flush }) {
  const { write, writev } = calls;
  if (!write && !writev) throw invalidArgType('options.fs.write', 'of type function', write);
  if (write) validateFunction(write, 'options.fs.write');
  if (writev) validateFunction(writev, 'options.fs.writev');
  if (autoDestroy) validateFunction(calls.close, 'options.fs.close');
  if (flush === undefined || flush === null) return;
  validateBoolean(flush, 'options.flush');
  validateFunction(calls.fsync, 'options.fs.fsync');
}

function WriteStream(path, options) {
  if (!(this instanceof WriteStream)) return new WriteStream(path, options);
  const own = copyOptions(options);
  own.decodeStrings = true;
  const calls = openSource(this, path, own, 'w');
  checkWriting(calls, own);
  if (!calls.write) this._write = null;
  if (!calls.writev) this._writev = null;
  const { encoding, start } = own;
  this.start = start;
  this.pos = start;
  this.bytesWritten = 0;
  this.flush = Boolean(own.flush);
  checkRange(start, Infinity);
  Object.defineProperty(this, kFile, { __proto__: null, value: new StreamFile(this, calls) });
  Reflect.apply(Writable, this, [own]);
  if (encoding) this.setDefaultEncoding(encoding);
}

WriteStream.prototype._write = function (bytes, encoding, callback) {
  writeFrom(this, bytes, 0, 0, callback);
};

WriteStream.prototype._writev = function (items, callback) {
  const list = [];
  let size = 0;
  for (let i = 0; i < items.length; i++) {
    list[i] = items[i].chunk;
    size += list[i].length;
  }
  this[kFile].writeAll(list, this.pos ?? null, (error, count) => {
    wrote(this, error, count, size, 0, callback, (done, tries) =>
      writeFrom(this, Buffer.concat(list).subarray(done), 0, tries, callback));
  });
};

function writeFrom(stream, bytes, from, tries, callback) {
  stream[kFile].write(bytes, from, stream.pos ?? null, (error, count) => {
    wrote(stream, error, count, bytes.length - from, tries, callback, (done, again) =>
      writeFrom(stream, bytes, from + done, again, callback));
  });
}

const TRIES = 5;

// Rare: the disk took only a part, or a pipe nothing. The rest is written in one piece.
function wrote(stream, error, count, size, tries, callback, goOn) {
  if (error?.code === 'EAGAIN') ({ 0: error, 1: count } = [null, 0]);
  if (!error && !stream.destroyed) {
    stream.bytesWritten += count;
    if (stream.pos !== undefined) stream.pos += count;
    if (count < size && tries < TRIES) {
      goOn(count, count > 0 ? 0 : tries + 1);
      return;
    }
    if (count < size) error = coded(Error, 'EAGAIN', 'write failed');
  }
  stream[kFile].rest();
  callback(error || undefined);
}

WriteStream.prototype._destroy = function (error, done) {
  this[kFile].close(error, this.flush, done);
};

WriteStream.prototype.close = function (callback) {
  if (callback) whenClosed(this, callback);
  // Without autoClose, nothing else would close the file.
  if (!this.autoClose) this.once('finish', this.destroy);
  this.end();
};

// --- what both have ---------------------------------------------------------------------------

// `state` is the stream's property that holds whether it destroys itself.
for (const { 0: Stream, 1: Base, 2: state } of over([[ReadStream, Readable, '_readableState'], [WriteStream, Writable, '_writableState']])) {
  const { prototype } = Stream;
  Object.setPrototypeOf(prototype, Base.prototype);
  Object.setPrototypeOf(Stream, Base);
  const property = (name, get, set) =>
    Object.defineProperty(prototype, name, { __proto__: null, get, set, configurable: true });
  prototype._construct = function (ready) { this[kFile].open(ready); };
  prototype.open = open;
  property('pending', function () { return this.fd === null; });
  property('autoClose', function () { return this[state].autoDestroy; }, function (on) { this[state].autoDestroy = on; });
}
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

module.exports = { FileReadStream: ReadStream, FileWriteStream: WriteStream, ReadStream, WriteStream };
