'use strict';
// net.Socket: a Duplex over a TCP or pipe handle (or a terminal's).

// own methods: socket
const { NumberIsInteger, arrayMap, over, regexpTest } = intrinsics;
const binding = native('stream');
const handles = native('handle');
const timers = require('timers');
const { Buffer } = require('buffer');
const FastBuffer = require('internal/fast_buffer');
const { Duplex } = require('stream');
const {
  coded, invalidArgType, invalidArgValue, outOfRange, validateAbortSignal, validateFunction, validateInt32, validateNumber,
} = require('internal/errors');
const { EOF, errnoException } = require('internal/net/util');

const kTimeout = Symbol('timeout');
const kSpare = Symbol('spareTimeout');
const kMs = Symbol('ms');
const kBytesRead = Symbol('bytesRead');
const kBytesWritten = Symbol('bytesWritten');
const kReading = Symbol('reading');
const kNoDelay = Symbol('noDelay');
const kKeepAlive = Symbol('keepAlive');
const kQueued = Symbol('queued');
const kMake = Symbol('make'); // option: (socket) => token
const kKind = Symbol('kind');
const kLeave = Symbol('leave'); // method of a server: one of its connections has ended
const kClose = Symbol('close'); // method: closes the handle
const kReopen = Symbol('reopen'); // method of a socket that has more to do for a new handle, or undefined

const ENOTCONN = -107;

// --- events from C ---------------------------------------------------------------------------

function onRead(socket, count, bytes, offset) {
  if (socket._handle === null) return;
  refreshTimer(socket);
  if (count > 0) {
    socket[kBytesRead] += count;
    if (!socket.push(new FastBuffer(bytes, offset, count)) && socket._handle !== null) {
      socket[kReading] = false;
      binding.readStop(socket._handle);
    }
    return;
  }
  if (count !== EOF) {
    socket.destroy(errnoException(count, 'read'));
    return;
  }
  // The other side has ended. When its data has been read and our own side has finished, the stream
  // destroys itself.
  socket.push(null);
  socket.read(0);
}

function onWritten(socket, status, callback) {
  if (socket.destroyed) {
    callback(null);
    return;
  }
  if (status < 0) {
    callback(errnoException(status, 'write'));
    return;
  }
  refreshTimer(socket);
  socket[kQueued] = 0;
  callback(null);
}

function onShut(socket, status, request) {
  request.callback(status < 0 && status !== ENOTCONN ? errnoException(status, 'shutdown') : undefined);
}

let onConnection, onConnected;
binding.setCallbacks(onRead, onWritten, onShut,
  function onPeer(server, status) { onConnection(server, status); },
  function onConnect(socket, status, request) { onConnected(socket, status, request); });

// --- time-outs ---------------------------------------------------------------------------------

function refreshTimer(socket) {
  if (socket[kTimeout] !== null) socket[kTimeout].refresh();
  if (socket._parent !== null) refreshTimer(socket._parent);
}

function clearTimer(socket) {
  timers.clearTimeout(socket[kTimeout]);
  timers.clearTimeout(socket[kSpare]);
  socket[kTimeout] = socket[kSpare] = null;
}

// A server sets and unsets the same time-out with every request: the timer waits for the next one,
// and does nothing if it fires meanwhile.
function layTimerBy(socket) {
  if (socket[kTimeout] === null) return;
  timers.clearTimeout(socket[kSpare]);
  socket[kSpare] = socket[kTimeout];
  socket[kTimeout] = null;
}

function startTimer(socket, ms) {
  const spare = socket[kTimeout] ?? socket[kSpare];
  if (spare !== null && spare[kMs] === ms) {
    socket[kSpare] = null;
    socket[kTimeout] = spare.refresh();
    return;
  }
  clearTimer(socket);
  const timer = timers.setTimeout(() => {
    if (socket[kTimeout] === timer) socket._onTimeout();
    else if (socket[kSpare] === timer) socket[kSpare] = null;
  }, ms).unref();
  timer[kMs] = ms;
  socket[kTimeout] = timer;
}

// --- Socket ----------------------------------------------------------------------------------------

function openDescriptor(socket, fd) {
  validateInt32(fd, 'fd', 0);
  const kind = binding.guess(fd);
  let err;
  if (kind === 'TTY') {
    socket[kKind] = 'tty';
    return binding.tty(socket, fd);
  }
  let token;
  if (kind === 'PIPE') {
    socket[kKind] = 'pipe';
    token = binding.pipe(socket, false);
    err = binding.pipeOpen(token, fd);
  } else if (kind === 'TCP') {
    socket[kKind] = 'tcp';
    token = binding.tcp(socket);
    err = binding.tcpOpen(token, fd);
  } else {
    throw coded(TypeError, 'ERR_INVALID_FD_TYPE', `Unsupported fd type: ${kind}`);
  }
  if (err < 0) {
    handles.close(token);
    throw errnoException(err, 'open');
  }
  return token;
}

function Socket(options) {
  if (this instanceof Socket) setUp(this, typeof options === 'number' ? { __proto__: null, fd: options } : { __proto__: null, ...options });
  else return new Socket(options);
}

const OBJECT_MODES = ['objectMode', 'readableObjectMode', 'writableObjectMode'];

function setUp(socket, options) {
  for (let i = 0; i < OBJECT_MODES.length; i++)
    if (options[OBJECT_MODES[i]])
      throw invalidArgValue(`options.${OBJECT_MODES[i]}`, options[OBJECT_MODES[i]], 'is not supported');
  if (options.keepAliveInitialDelay !== undefined) validateNumber(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
  const given = options.handle !== undefined || options.fd !== undefined || options[kMake] !== undefined;
  if (options.onread !== undefined) throw require('internal/errors').notImplemented('options.onread of net.Socket');
  socket.connecting = false;
  socket._hadError = false;
  socket._parent = null;
  socket._host = null;
  socket._handle = null;
  socket._peername = null;
  socket._sockname = null;
  socket._pendingData = null;
  socket._pendingEncoding = '';
  socket.server = null;
  socket._server = null;
  socket.timeout = 0;
  socket[kTimeout] = null;
  socket[kSpare] = null;
  socket[kReading] = false;
  socket[kBytesRead] = 0;
  socket[kBytesWritten] = 0;
  socket[kQueued] = 0;
  socket[kKind] = options.kind ?? 'tcp';
  socket[kNoDelay] = Boolean(options.noDelay);
  socket[kKeepAlive] = options.keepAlive ? { delay: Math.floor((options.keepAliveInitialDelay ?? 0) / 1000) } : null;
  // 'close' comes from the handle's close callback, not from the stream.
  Reflect.apply(Duplex, socket, [{
    allowHalfOpen: Boolean(options.allowHalfOpen),
    autoDestroy: true,
    decodeStrings: false,
    emitClose: false,
    highWaterMark: options.highWaterMark,
    readableHighWaterMark: options.readableHighWaterMark,
    writableHighWaterMark: options.writableHighWaterMark,
    readable: options.readable,
    writable: options.writable,
    signal: undefined,
  }]);
  // A handle that is being read continues by itself: no need to check after each chunk whether to
  // read more.
  socket._readableState.readingMore = true;
  if (options[kMake] !== undefined) socket._handle = options[kMake](socket);
  else if (options.fd !== undefined) socket._handle = openDescriptor(socket, options.fd);
  if (options.signal) addSignal(socket, options.signal);
  socket.on('end', answerEnd);
  if (given) {
    if (options.readable === false) endReadable(socket);
    if (options.writable === false) endWritable(socket);
  }
  if (socket._handle !== null && options.readable !== false && !options.manualStart) {
    if (options.pauseOnCreate) socket.readableFlowing = false;
    else socket.read(0);
  }
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

function endReadable(socket) {
  const state = socket._readableState;
  socket.push(null);
  state.ended = state.endEmitted = true;
  socket.readable = false;
}

function endWritable(socket) {
  const state = socket._writableState;
  socket.writable = false;
  state.ending = state.ended = state.finished = true;
}

function addSignal(socket, signal) {
  validateAbortSignal(signal, 'signal');
  require('stream').addAbortSignal(signal, socket);
}

// A client that doesn't want half-open sockets answers the other side's end with its own, even
// before writes that come after it.
function answerEnd() {
  if (!this.allowHalfOpen) this.write = writeAfterEnd;
}

function writeAfterEnd(chunk, encoding, callback) {
  if (!this.writableEnded) return Reflect.apply(Duplex.prototype.write, this, [chunk, encoding, callback]);
  if (typeof encoding === 'function') callback = encoding;
  const error = coded(Error, 'EPIPE', 'This socket has been ended by the other party');
  if (typeof callback === 'function') process.nextTick(callback, error);
  this.destroy(error);
  return false;
}

Object.assign(Socket.prototype, {
  _read(size) {
    if (this.connecting || this._handle === null) {
      if (this.connecting) this.once('connect', () => this._read(size));
      return;
    }
    if (this[kReading]) return;
    this[kReading] = true;
    const err = binding.readStart(this._handle);
    if (err < 0) this.destroy(errnoException(err, 'read'));
  },

  // A paused socket continues to read until its buffer is full, so that an end or an error of the
  // other side is noticed. Only standard input stops at once (internal/stdio.js).
  _stopReading() {
    if (this._handle === null || !this[kReading] || this.readableFlowing) return;
    this[kReading] = false;
    this._readableState.reading = false;
    binding.readStop(this._handle);
  },
});

// The handle alone, for a reader that isn't the stream: reading goes on, or stops at once.
function readHandle(socket, on) {
  if (!socket._handle || socket[kReading] === on) return;
  socket[kReading] = on;
  if (on) binding.readStart(socket._handle);
  else binding.readStop(socket._handle);
}

// --- writing ---------------------------------------------------------------------------------------

function afterConnecting(socket, write, callback) {
  const connected = () => {
    socket.off('close', closed);
    write();
  };
  const closed = () => {
    callback(coded(Error, 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION', 'Socket closed before the connection was established'));
  };
  socket.once('connect', connected);
  socket.once('close', closed);
}

// Records a write of that many bytes; the callback is called at once if the kernel took all of
// them, else by onWritten.
function sent(socket, status, size, callback) {
  if (status < 0) {
    callback(errnoException(status, 'write'));
    return;
  }
  socket[kBytesWritten] += size;
  if (status === 1) {
    callback();
    return;
  }
  socket[kQueued] = size;
}

const { textSize } = binding;

function sendText(socket, text, callback) {
  const status = binding.writeText(socket._handle, text, callback);
  sent(socket, status, textSize[0], callback);
}

const isAscii = (text) => !regexpTest(/[^\0-\x7f]/, text);
const isUtf8 = (text, encoding) => encoding === 'utf8' || encoding === 'utf-8' || text === '' ||
  (text.length <= 16 && (encoding === 'latin1' || encoding === 'ascii') && isAscii(text));

// The text of several writes, undefined unless all of them are text.
function asText(items) {
  let all = '';
  for (let i = 0; i < items.length; i++) {
    const { chunk, encoding } = items[i];
    if (typeof chunk !== 'string' || !isUtf8(chunk, encoding)) return undefined;
    all += chunk;
  }
  return all;
}

// A write that can't begin now: it waits for the connection, or fails if there will be none.
function putOff(socket, data, encoding, write, callback) {
  if (socket.connecting) {
    socket._pendingData = data;
    socket._pendingEncoding = encoding;
    afterConnecting(socket, write, callback);
  } else {
    socket._pendingData = null;
    callback(coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'));
  }
}

Object.assign(Socket.prototype, {
  _write(data, encoding, callback) {
    if (this.connecting || this._handle === null) {
      putOff(this, data, encoding, () => this._write(data, encoding, callback), callback);
      return;
    }
    this._pendingData = null;
    refreshTimer(this);
    if (typeof data === 'string' && isUtf8(data, encoding)) {
      sendText(this, data, callback);
      return;
    }
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : data;
    sent(this, binding.writeBytes(this._handle, bytes, callback), bytes.length, callback);
  },

  _writev(items, callback) {
    if (this.connecting || this._handle === null) {
      putOff(this, items, '', () => this._writev(items, callback), callback);
      return;
    }
    this._pendingData = null;
    refreshTimer(this);
    const text = asText(items);
    if (text !== undefined) {
      sendText(this, text, callback);
      return;
    }
    let size = 0;
    const views = arrayMap.call(items, ({ chunk, encoding }) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
      size += bytes.length;
      return bytes;
    });
    sent(this, binding.writeMany(this._handle, views, callback), size, callback);
  },

  _final(callback) {
    if (this.connecting) {
      this.once('connect', () => this._final(callback));
      return;
    }
    if (this._handle === null) {
      callback();
      return;
    }
    const err = binding.shutdown(this._handle, { callback });
    if (err === ENOTCONN) callback();
    else if (err < 0) callback(errnoException(err, 'shutdown'));
  },

  end(...last) {
    Reflect.apply(Duplex.prototype.end, this, last);
    return this;
  },

  // Ends when everything is written, at once if it is already.
  destroySoon() {
    if (this.writable) this.end();
    if (!this.writableFinished) this.once('finish', this.destroy);
    else this.destroy();
  },

  _destroy(exception, callback) {
    this.connecting = false;
    for (let at = this; at; at = at._parent) clearTimer(at);
    if (this._handle !== null) {
      const failed = Boolean(exception);
      const handle = this._handle;
      this._handle = null;
      this._sockname = null;
      this[kReading] = false;
      const closed = () => this.emit('close', failed);
      const { resetting } = this;
      if (resetting) this.resetting = false;
      this[kClose](handle, closed, resetting);
      callback(exception);
    } else {
      callback(exception);
      process.nextTick(() => this.emit('close'));
    }
    if (this._server !== null) {
      const server = this._server;
      this._server = null;
      server[kLeave]();
    }
  },

  [kClose](handle, closed, resetting) {
    if (!resetting || binding.reset(handle, closed) < 0) handles.close(handle, closed);
  },

  resetAndDestroy() {
    if (this._handle === null && !this.connecting) {
      this.destroy(coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'));
    } else if (this[kKind] !== 'tcp') {
      throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
    } else if (this.connecting) {
      this.once('connect', () => this.resetAndDestroy());
    } else {
      this.resetting = true;
      this.destroy();
    }
    return this;
  },
});

// --- settings ----------------------------------------------------------------------------------------

Object.assign(Socket.prototype, {
  setTimeout(ms, callback) {
    if (this.destroyed) return this;
    validateNumber(ms, 'msecs');
    if (!(ms >= 0 && ms < Infinity)) throw outOfRange('msecs', 'a non-negative finite number', ms);
    this.timeout = ms;
    if (callback !== undefined) validateFunction(callback, 'callback');
    if (ms === 0) {
      layTimerBy(this);
      if (callback !== undefined) this.removeListener('timeout', callback);
      return this;
    }
    startTimer(this, ms);
    if (callback !== undefined) this.once('timeout', callback);
    return this;
  },

  _onTimeout() {
    // A long write that makes progress counts as activity.
    if (this._handle !== null && this[kQueued] > 0) {
      const queued = binding.queued(this._handle);
      if (queued !== this[kQueued]) {
        this[kQueued] = queued;
        this[kTimeout]?.refresh();
        return;
      }
    }
    this.emit('timeout');
  },

  setNoDelay(enable) {
    enable = enable === undefined ? true : Boolean(enable);
    if (this._handle !== null && !this.connecting && this[kKind] === 'tcp' && enable !== this[kNoDelay])
      binding.noDelay(this._handle, enable);
    this[kNoDelay] = enable;
    return this;
  },

  setKeepAlive(enable, initialDelay) {
    const delay = Math.floor((initialDelay | 0) / 1000);
    this[kKeepAlive] = enable ? { delay } : null;
    if (this._handle !== null && !this.connecting && this[kKind] === 'tcp')
      binding.keepAlive(this._handle, Boolean(enable), delay);
    return this;
  },

  // Applies the options that were set before there was a connection.
  _applySettings() {
    if (this[kKind] !== 'tcp') return;
    if (this[kNoDelay]) binding.noDelay(this._handle, true);
    if (this[kKeepAlive] !== null) binding.keepAlive(this._handle, true, this[kKeepAlive].delay);
  },

  setRawMode(on) {
    if (this[kKind] !== 'tty') return this;
    const err = binding.rawMode(this._handle, Boolean(on));
    if (err < 0) this.emit('error', errnoException(err, 'setRawMode'));
    else this.isRaw = Boolean(on);
    return this;
  },

  connect(...args) {
    return require('internal/net/connect').connect(this, args);
  },
});
// Before there is a handle, these calls wait for it.
for (const name of over(['ref', 'unref']))
  Socket.prototype[name] = function () {
    if (this._handle !== null) handles[name](this._handle);
    else this.once('connect', this[name]);
    return this;
  };

module.exports = {
  Socket,
  kBytesRead,
  kBytesWritten,
  kClose,
  kKind,
  kLeave,
  kMake,
  kReopen,
  readHandle,
  refreshTimer,
  setHooks(connection, connected) {
    if (connection) onConnection = connection;
    if (connected) onConnected = connected;
  },
};
require('internal/net/facts');
