'use strict';
// process.stdin, stdout and stderr. Output is written at once, to files, pipes and
// terminals alike, so that nothing is lost when a program ends in the middle.

const binding = native('stdio');
const { Writable } = require('stream');

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: false, autoDestroy: false, emitClose: false });
    this.fd = fd;
    this._type = binding.kind(fd) === 'tty' ? 'tty' : binding.kind(fd) === 'file' ? 'fs' : 'pipe';
    this._isStdio = true;
    this.isTTY = this._type === 'tty' ? true : undefined;
    if (this.isTTY) {
      const [columns, rows] = binding.windowSize(fd);
      this.columns = columns;
      this.rows = rows;
    } else {
      delete this.isTTY;
    }
  }

  _write(chunk, encoding, callback) {
    if (typeof chunk === 'string' && encoding !== 'utf8' && encoding !== 'utf-8') chunk = Buffer.from(chunk, encoding);
    const err = binding.write(this.fd, chunk);
    callback(err === 0 ? null : native('process').uvError(err, 'write'));
  }

  // The descriptor belongs to the process, not to the stream.
  _destroy(error, callback) {
    callback(error);
  }

  getColorDepth() {
    return this.isTTY ? 4 : 1;
  }

  hasColors() {
    return this.isTTY === true;
  }

  getWindowSize() {
    return [this.columns, this.rows];
  }
}

function openInput(fd) {
  const kind = binding.kind(fd);
  if (kind === 'file') return require('fs').createReadStream(null, { fd, autoClose: false });
  if (kind === 'unknown') {
    const { Readable } = require('stream');
    return Object.assign(new Readable({ read() { this.push(null); } }), { fd });
  }
  const net = require('net');
  const stream = new net.Socket({ fd, readable: true, writable: false, manualStart: true });
  // Standard input that is paused doesn't keep the program alive; but paused by a listener
  // of its own data it asks for more once the listener is done, as in Node.
  stream._readableState.readingMore = false;
  stream.on('pause', () => process.nextTick(() => stream._stopReading()));
  stream.fd = fd;
  if (kind === 'tty') {
    stream.isTTY = true;
    stream.isRaw = false;
  }
  return stream;
}

module.exports = { open: (fd) => fd === 0 ? openInput(fd) : new Output(fd) };
