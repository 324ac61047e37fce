'use strict';
// tty: terminals as streams.

const stdio = native('stdio');
const streams = native('stream');
const net = require('net');
const { Output } = require('internal/stdio');
const { coded, shown, systemError } = require('internal/errors');
const colors = require('internal/tty/colors');
const cursor = require('internal/tty/cursor');

const isatty = (fd) => isDescriptor(fd) && fd <= 2147483647 && stdio.kind(fd) === 'tty';
const isDescriptor = (fd) => typeof fd === 'number' && fd >> 0 === fd && fd >= 0;

function checkTerminal(fd) {
  if (!isDescriptor(fd)) throw coded(RangeError, 'ERR_INVALID_FD', `"fd" must be a positive integer: ${shown(fd)}`);
  if (stdio.kind(fd) === 'tty') return;
  throw systemError('ERR_TTY_INIT_FAILED', 'TTY initialization failed',
    { errno: -22, code: 'EINVAL', message: 'invalid argument', syscall: 'uv_tty_init' });
}

// --- reading ---------------------------------------------------------------------------------

function ReadStream(fd, options) {
  if (!(this instanceof ReadStream)) return new ReadStream(fd, options);
  checkTerminal(fd);
  Reflect.apply(net.Socket, this, [{ readableHighWaterMark: 0, ...options, fd, readable: true, writable: false, manualStart: true }]);
  this.isRaw = false;
  this.isTTY = true;
}
Object.setPrototypeOf(ReadStream.prototype, net.Socket.prototype);
Object.setPrototypeOf(ReadStream, net.Socket);

ReadStream.prototype.setRawMode = function setRawMode(flag) {
  const on = Boolean(flag);
  const err = streams.rawMode(this._handle, on);
  if (err < 0) {
    this.emit('error', require('internal/net/util').errnoException(err, 'setRawMode'));
    return this;
  }
  this.isRaw = on;
  return this;
};

// --- writing ---------------------------------------------------------------------------------

function WriteStream(fd) {
  if (!(this instanceof WriteStream)) return new WriteStream(fd);
  checkTerminal(fd);
  Reflect.apply(Output, this, [fd]);
  const size = stdio.windowSize(fd);
  this.columns = size[0];
  this.rows = size[1];
}
Object.setPrototypeOf(WriteStream.prototype, Output.prototype);
Object.setPrototypeOf(WriteStream, Output);

const { prototype } = WriteStream;
prototype.isTTY = true;
prototype.getColorDepth = colors.getColorDepth;
prototype.hasColors = colors.hasColors;

prototype._refreshSize = function _refreshSize() {
  const { columns, rows } = this;
  const size = stdio.windowSize(this.fd);
  this.columns = size[0];
  this.rows = size[1];
  if (columns !== this.columns || rows !== this.rows) this.emit('resize');
};

prototype.getWindowSize = function getWindowSize() {
  return [this.columns, this.rows];
};
prototype.cursorTo = function cursorTo(x, y, callback) {
  return cursor.cursorTo(this, x, y, callback);
};
prototype.moveCursor = function moveCursor(dx, dy, callback) {
  return cursor.moveCursor(this, dx, dy, callback);
};
prototype.clearLine = function clearLine(direction, callback) {
  return cursor.clearLine(this, direction, callback);
};
prototype.clearScreenDown = function clearScreenDown(callback) {
  return cursor.clearScreenDown(this, callback);
};

module.exports = { isatty, ReadStream, WriteStream };
