'use strict';
// OutgoingMessage, third part: the message as a stream. Until it has its connection, or while the
// one before it isn't done, what is written waits in outputData.

const {
  ArrayIsArray, arrayJoin, arrayPush, arrayUnshift, numberToString, over, stringToLowerCase,
} = intrinsics;
const { Buffer } = require('buffer');
const EventEmitter = require('events');
const Stream = require('internal/streams/legacy');
const { isUint8Array } = require('internal/kinds');
const { getDefaultHighWaterMark } = require('internal/streams/state');
const { badCharacter, badToken, hasBadCharacter, isToken } = require('internal/http/words');
const { kUnique, store } = require('internal/http/header_block');
const { kList, methods } = require('internal/http/header_list');
const { coded, invalidArgType, notImplemented, validateString } = require('internal/errors');

const kCorked = Symbol('corked');
const kDrain = Symbol('needDrain');
const kErrored = Symbol('errored');
const kRoom = Symbol('kHighWaterMark');
const kStrictBody = Symbol('rejectNonStandardBodyWrites');
const kSent = Symbol('bytesOfBody');

const nothing = () => {};
const CRLF = Buffer.from('\r\n');

function OutgoingMessage(options) {
  Reflect.apply(Stream, this, []);
  this[kRoom] = options?.highWaterMark ?? getDefaultHighWaterMark(false);
  beginHeader(this);
  beginBody(this, options);
  beginConnection(this);
}

function beginHeader(message) {
  message._header = null;
  message._headerSent = false;
  message[kList] = null;
  message[kUnique] = null;
  message.sendDate = false;
  message.useChunkedEncodingByDefault = true;
  message.chunkedEncoding = false;
  message._removedTE = message._removedContLen = message._removedConnection = false;
  message._trailer = '';
}

function beginBody(message, options) {
  message.writable = true;
  message.destroyed = message._closed = message.finished = false;
  message[kErrored] = null;
  message._hasBody = true;
  message._contentLength = null;
  message.strictContentLength = false;
  message[kSent] = message[kCorked] = 0;
  message[kStrictBody] = options?.rejectNonStandardBodyWrites ?? false;
}

// The properties for text that waits for the connection.
function beginConnection(message) {
  message.socket = null;
  message.outputData = [];
  message.outputSize = 0;
  message._onPendingData = nothing;
  message[kDrain] = false;
  message.shouldKeepAlive = message._defaultKeepAlive = true;
  message._keepAliveTimeout = 0;
  message._last = message.maxRequestsOnConnectionReached = false;
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

const after = (name) => coded(Error, 'ERR_STREAM_DESTROYED', `Cannot call ${name} after a stream was destroyed`);
const afterEnd = () => coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');

Object.assign(OutgoingMessage.prototype, methods, {
  _storeHeader(firstLine, headers) {
    store(this, firstLine, headers, this[kList]);
  },

  _implicitHeader() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _implicitHeader() method is not implemented');
  },

  flushHeaders() {
    if (!this._header) this._implicitHeader();
    this._send('');
  },

  // --- towards the connection -----------------------------------------------------------------------

  // Sends data; before the first goes the header, in one piece with it where both are text.
  _send(data, encoding, callback, size) {
    if (!this._headerSent && this._header !== null) {
      const header = this._header;
      if (typeof data === 'string' && (encoding === 'utf8' || encoding === 'latin1' || !encoding)) {
        data = header + data;
      } else {
        arrayUnshift.call(this.outputData, { data: header, encoding: 'latin1', callback: null });
        this.outputSize += header.length;
        this._onPendingData(header.length);
      }
      this._headerSent = true;
    }
    return this._writeRaw(data, encoding, callback, size);
  },

  _writeRaw(data, encoding, callback) {
    const { socket } = this;
    if (socket && socket.destroyed) return false; // the connection is gone
    if (typeof encoding === 'function') {
      callback = encoding;
      encoding = null;
    }
    if (socket && socket._httpMessage === this && socket.writable) {
      if (this.outputData.length > 0) this._flushOutput(socket);
      return socket.write(data, encoding, callback);
    }
    arrayPush.call(this.outputData, { data, encoding, callback });
    this.outputSize += data.length;
    this._onPendingData(data.length);
    return this.outputSize < this[kRoom];
  },

  _flushOutput(socket) {
    const waiting = this.outputData;
    if (waiting.length === 0) return undefined;
    let hasRoom;
    socket.cork();
    for (let i = 0; i < waiting.length; i++) hasRoom = socket.write(waiting[i].data, waiting[i].encoding, waiting[i].callback);
    socket.uncork();
    this.outputData = [];
    this._onPendingData(-this.outputSize);
    this.outputSize = 0;
    return hasRoom;
  },

  // The message has got its connection, which may be for its next data only.
  _flush() {
    const { socket } = this;
    if (!socket || !socket.writable) return;
    const hasRoom = this._flushOutput(socket);
    if (this.finished) this._finish();
    else if (hasRoom && this[kDrain]) {
      this[kDrain] = false;
      this.emit('drain');
    }
  },

  _finish() {
    this.emit('prefinish');
  },

  // --- what programs call --------------------------------------------------------------------------

  write(chunk, encoding, callback) {
    if (typeof encoding === 'function') return writeChunk(this, chunk, null, encoding, false);
    return writeChunk(this, chunk, encoding, callback, false);
  },

  end(chunk, encoding, callback) {
    if (typeof chunk === 'function') return endWith(this, null, null, chunk);
    if (typeof encoding === 'function') return endWith(this, chunk, null, encoding);
    return endWith(this, chunk, encoding, callback);
  },

  addTrailers(headers) {
    this._trailer = '';
    const isList = ArrayIsArray(headers);
    for (const key of over(Object.keys(headers))) {
      const { 0: name, 1: value } = isList ? headers[key] : [key, headers[key]];
      if (typeof name !== 'string' || name === '' || !isToken(name)) throw badToken('Trailer name', name);
      const isOne = !ArrayIsArray(value) || (value.length > 1 && Boolean(this[kUnique]?.has(stringToLowerCase.call(name))));
      for (const each of over(isOne ? [ArrayIsArray(value) ? arrayJoin.call(value, '; ') : value] : value)) {
        if (hasBadCharacter(`${each}`)) throw badCharacter('trailer content', name);
        this._trailer += `${name}: ${each}\r\n`;
      }
    }
  },

  cork() {
    this[kCorked]++;
    if (this.socket) this.socket.cork();
  },

  uncork() {
    this[kCorked]--;
    if (this.socket) this.socket.uncork();
  },

  setTimeout(ms, callback) {
    if (callback) this.on('timeout', callback);
    if (this.socket) this.socket.setTimeout(ms);
    else this.once('socket', (socket) => socket.setTimeout(ms));
    return this;
  },

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this[kErrored] = error;
    if (this.socket) this.socket.destroy(error);
    else this.once('socket', (socket) => socket.destroy(error));
    return this;
  },

  pipe() {
    this.emit('error', coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
  },

  [EventEmitter.captureRejectionSymbol](error) {
    this.destroy(error);
  },
});

// --- writing --------------------------------------------------------------------------------------

const sizeOf = (chunk, encoding) => typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.byteLength;

function fail(message, error, callback) {
  if (message.destroyed) {
    process.nextTick(callback, error);
    return;
  }
  process.nextTick(() => {
    callback(error);
    if (typeof message.emit === 'function' && !message.destroyed) message.emit('error', error);
  });
}

const mismatch = (got, wanted) => coded(Error, 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
  `Response body's content-length of ${got} byte(s) does not match the content-length of ${wanted} byte(s) set in header`);

// Whether the program has announced a length that its body must have.
function isCounted(message) {
  if (!message.strictContentLength || !message._hasBody) return false;
  const isEncoded = message.chunkedEncoding || message.hasHeader('transfer-encoding');
  return !isEncoded && !message._removedContLen && message._contentLength > 0;
}

function writeChunk(message, chunk, encoding, callback, isLast) {
  const heard = typeof callback === 'function' ? callback : nothing;
  if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
  if (typeof chunk !== 'string' && !isUint8Array(chunk))
    throw invalidArgType('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk);
  if (message.finished || message.destroyed) {
    fail(message, message.finished ? afterEnd() : after('write'), heard);
    return false;
  }
  if (message.strictContentLength) count(message, sizeOf(chunk, encoding), isLast);
  if (!message._header) {
    if (isLast) message._contentLength = sizeOf(chunk, encoding);
    message._implicitHeader();
  }
  if (!message._hasBody) {
    if (message[kStrictBody])
      throw coded(Error, 'ERR_HTTP_BODY_NOT_ALLOWED', 'Adding content for this request method or response status is not allowed.');
    process.nextTick(heard);
    return true;
  }
  // All that is written in this tick leaves in one piece.
  const { socket } = message;
  if (!isLast && socket && !socket.writableCorked) {
    socket.cork();
    process.nextTick(uncork, socket);
  }
  const hasRoom = message.chunkedEncoding && chunk.length !== 0 ?
    writeEncoded(message, chunk, encoding, heard) : message._send(chunk, encoding, heard);
  if (!hasRoom) message[kDrain] = true;
  return hasRoom;
}

function count(message, size, isLast) {
  const sum = message[kSent] + size;
  if (isCounted(message) && (isLast ? sum !== message._contentLength : sum > message._contentLength))
    throw mismatch(sum, message._contentLength);
  message[kSent] = sum;
}

function uncork(socket) {
  socket.uncork();
}

function writeEncoded(message, chunk, encoding, callback) {
  const size = sizeOf(chunk, encoding);
  message._send(numberToString.call(size, 16), 'latin1', null);
  message._send(CRLF, null, null);
  message._send(chunk, encoding, null, size);
  return message._send(CRLF, null, callback);
}

// --- the end ----------------------------------------------------------------------------------------

function endWith(message, chunk, encoding, callback) {
  const hears = typeof callback === 'function';
  if (chunk) {
    if (message.finished) {
      fail(message, afterEnd(), hears ? callback : nothing);
      return message;
    }
    if (message.socket) message.socket.cork();
    writeChunk(message, chunk, encoding, null, true);
  } else if (message.finished) {
    if (!hears) return message;
    if (!message.writableFinished) message.on('finish', callback);
    else callback(coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished'));
    return message;
  } else if (!message._header) {
    if (message.socket) message.socket.cork();
    message._contentLength = 0;
    message._implicitHeader();
  }
  if (hears) message.once('finish', callback);
  if (isCounted(message) && message[kSent] !== message._contentLength) throw mismatch(message[kSent], message._contentLength);
  sendEnd(message, chunk);
  const { socket } = message;
  if (socket) { // however often it was corked
    socket._writableState.corked = 1;
    socket.uncork();
  }
  message[kCorked] = 1;
  message.uncork();
  message.finished = true;
  if (message.outputData.length === 0 && message.socket && message.socket._httpMessage === message) message._finish();
  return message;
}

function sendEnd(message, chunk) {
  const finish = () => {
    if (!message.socket?._hadError) message.emit('finish');
  };
  if (message._hasBody && message.chunkedEncoding) message._send(`0\r\n${message._trailer}\r\n`, 'latin1', finish);
  else if (!message._headerSent || message.writableLength || chunk) message._send('', 'latin1', finish);
  else process.nextTick(finish);
}

// --- what can be asked ------------------------------------------------------------------------------

const questions = {
  get errored() { return this[kErrored]; },
  get closed() { return this._closed; },
  get headersSent() { return Boolean(this._header); },
  get writableFinished() {
    return this.finished && this.outputSize === 0 && (!this.socket || this.socket.writableLength === 0);
  },
  get writableObjectMode() { return false; },
  get writableLength() { return this.outputSize + (this.socket ? this.socket.writableLength : 0); },
  get writableHighWaterMark() { return this.socket ? this.socket.writableHighWaterMark : this[kRoom]; },
  get writableCorked() { return this[kCorked]; },
  get writableEnded() { return this.finished; },
  get writableNeedDrain() { return !this.destroyed && !this.finished && this[kDrain]; },
  get connection() { return this.socket; },
  set connection(socket) { this.socket = socket; },
  // Older names.
  get _headers() { return this.getHeaders(); },
  set _headers(headers) {
    this[kList] = null;
    if (typeof headers !== 'object' || headers === null) return;
    const list = this[kList] = { __proto__: null };
    for (const name of over(Object.keys(headers))) list[stringToLowerCase.call(name)] = { name, value: headers[name] };
  },
  get _headerNames() {
    if (this[kList] === null) return null;
    const names = { __proto__: null };
    for (const key of over(Object.keys(this[kList]))) names[key] = this[kList][key].name;
    return names;
  },
};
for (const { 0: name, 1: property } of over(Object.entries(Object.getOwnPropertyDescriptors(questions))))
  Object.defineProperty(OutgoingMessage.prototype, name, { __proto__: null, ...property, enumerable: false });

// uniqueHeaders: names whose list of values is written as one.
function uniqueNames(names) {
  if (!ArrayIsArray(names)) return null;
  const set = new Set();
  for (let i = 0; i < names.length; i++) set.add(stringToLowerCase.call(`${names[i]}`));
  return set;
}

// The connection's buffer is empty again.
function drained(message) {
  if (!message || message.finished || !message[kDrain]) return;
  message[kDrain] = false;
  message.emit('drain');
}

module.exports = { OutgoingMessage, drained, kErrored, kList, kRoom, kUnique, uniqueNames };
