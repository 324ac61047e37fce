'use strict';
// process.stdin, stdout and stderr. Output is synchronous, to files, pipes and terminals alike, so
// that nothing is lost when a program ends early.

const binding = native('stdio');
const { Buffer } = require('buffer');
const { Writable } = require('stream');

const KINDS = { __proto__: null, tty: 'tty', file: 'fs' };

// A stream with synchronous writes to a descriptor. Also the writable half of a terminal (tty.js).
function Output(fd) {
  Reflect.apply(Writable, this, [{ decodeStrings: false, autoDestroy: false, emitClose: false }]);
  this.fd = fd;
  this._type = KINDS[binding.kind(fd)] ?? 'pipe';
}
Object.setPrototypeOf(Output.prototype, Writable.prototype);
Object.setPrototypeOf(Output, Writable);

Output.prototype._write = function (chunk, encoding, callback) {
  if (typeof chunk === 'string' && encoding !== 'utf8' && encoding !== 'utf-8') chunk = Buffer.from(chunk, encoding);
  const err = binding.write(this.fd, chunk);
  callback(err === 0 ? null : native('process').uvError(err, 'write'));
};

// The descriptor of a standard stream belongs to the process: as in Node, a destroyed stream can
// still be written to.
function standard(stream) {
  stream._isStdio = true;
  stream.destroySoon = stream.destroy;
  stream._destroy = function (error, callback) {
    callback(error);
    this._undestroy();
    process.nextTick(() => this.emit('close'));
  };
  return stream;
}

// Node's output streams are sockets, or say of themselves what sockets say: only a terminal could be read.
function openOutput(fd) {
  const isTerminal = binding.kind(fd) === 'tty';
  const stream = standard(isTerminal ? new (require('tty').WriteStream)(fd) : new Output(fd));
  Object.defineProperty(stream, 'readable', { __proto__: null, value: isTerminal, writable: true, enumerable: true, configurable: true });
  if (isTerminal) require('internal/tty/resize')(stream);
  return stream;
}

function openInput(fd) {
  const kind = binding.kind(fd);
  if (kind === 'file') return require('fs').createReadStream(null, { fd, autoClose: false });
  if (kind === 'unknown') {
    const { Readable } = require('stream');
    const none = new Readable({ read() { this.push(null); } });
    none.fd = fd;
    return none;
  }
  const stream = kind === 'tty' ? new (require('tty').ReadStream)(fd) :
    new (require('net').Socket)({ fd, readable: true, writable: false, manualStart: true });
  // Standard input that is paused doesn't keep the program alive; if a listener of its data paused
  // it, more is read once the listener has returned, as in Node.
  stream._readableState.readingMore = false;
  stream.on('pause', () => process.nextTick(() => stream._stopReading()));
  stream.fd = fd;
  return stream;
}

module.exports = { Output, open: (fd) => fd === 0 ? openInput(fd) : openOutput(fd) };
