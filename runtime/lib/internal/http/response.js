'use strict';
// ServerResponse: a server's answer to one request.

const { ArrayIsArray, arrayJoin, arrayMap, over, regexpTest } = intrinsics;
const { OutgoingMessage, kList } = require('internal/http/outgoing');
const { STATUS_CODES, badCharacter, hasBadCharacter, headersSent } = require('internal/http/words');
const { coded, invalidArgValue, shown, validateObject } = require('internal/errors');

function ServerResponse(request, options) {
  Reflect.apply(OutgoingMessage, this, [options]);
  if (request.method === 'HEAD') this._hasBody = false;
  this.req = request;
  this.sendDate = true;
  this._sent100 = false;
  this._expect_continue = false;
  if (request.httpVersionMajor < 1 || request.httpVersionMinor < 1) {
    this.useChunkedEncodingByDefault = regexpTest(/(?:^|\W)chunked(?:$|\W)/i, `${request.headers.te}`);
    this.shouldKeepAlive = false;
  }
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

ServerResponse.prototype.statusCode = 200;
ServerResponse.prototype.statusMessage = undefined;

function emitClose(response) {
  if (response._closed) return;
  response.destroyed = true;
  response._closed = true;
  response.emit('close');
}

function socketClosed() {
  if (this._httpMessage) emitClose(this._httpMessage);
}

function checkedReason(response, status, reason) {
  if (typeof reason === 'string') response.statusMessage = reason;
  else response.statusMessage ||= STATUS_CODES[status] || 'unknown';
}

// Headers given to writeHead beside those set before: they take their place.
function merge(response, headers) {
  if (!ArrayIsArray(headers)) {
    if (headers) for (const name of over(Object.keys(headers))) if (name) response.setHeader(name, headers[name]);
    return;
  }
  if (headers.length % 2 !== 0) throw invalidArgValue('headers', headers);
  for (let i = 0; i < headers.length; i += 2) if (headers[i]) response.setHeader(headers[i], headers[i + 1]);
}

const hasNoBody = (status) => status === 204 || status === 304 || (status >= 100 && status <= 199);

function writeHead(given, reason, headers) {
  if (this._header) throw headersSent('write');
  const status = given | 0;
  if (status < 100 || status > 999) throw coded(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${shown(given)}`);
  checkedReason(this, status, reason);
  let written = typeof reason === 'string' ? headers : headers ?? reason;
  this.statusCode = status;
  if (this[kList] !== null) {
    merge(this, written);
    written = this[kList];
  }
  if (hasBadCharacter(`${this.statusMessage}`)) throw badCharacter('statusMessage');
  if (hasNoBody(status)) this._hasBody = false;
  // A client that waits for 100 may send its body all the same: what would come next isn't clear.
  if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
  this._storeHeader(`HTTP/1.1 ${status} ${this.statusMessage}\r\n`, written);
  return this;
}

// --- answers before the answer ------------------------------------------------------------------------

const LINK = /^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(")?[^;"\s]*\1)?)*$/;

function linkOf(hint) {
  const check = (text) => {
    if (typeof text !== 'string' || !regexpTest(LINK, text))
      throw invalidArgValue('hints', text, 'must be an array or string of format "</styles.css>; rel=preload; as=style"');
    return text;
  };
  if (typeof hint === 'string') return check(hint);
  if (ArrayIsArray(hint)) return arrayJoin.call(arrayMap.call(hint, check), ', ');
  throw invalidArgValue('hints', hint, 'must be an array or string of format "</styles.css>; rel=preload; as=style"');
}

Object.assign(ServerResponse.prototype, {
  writeHead,
  writeHeader: writeHead,

  _implicitHeader() {
    this.writeHead(this.statusCode);
  },

  assignSocket(socket) {
    if (socket._httpMessage) throw coded(Error, 'ERR_HTTP_SOCKET_ASSIGNED', 'ServerResponse has an already assigned socket');
    socket._httpMessage = this;
    socket.on('close', socketClosed);
    this.socket = socket;
    this.emit('socket', socket);
    this._flush();
  },

  detachSocket(socket) {
    socket.removeListener('close', socketClosed);
    socket._httpMessage = null;
    this.socket = null;
  },

  _finish() {
    Reflect.apply(OutgoingMessage.prototype._finish, this, []);
  },

  writeContinue(callback) {
    this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'ascii', callback);
    this._sent100 = true;
  },

  writeProcessing(callback) {
    this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'ascii', callback);
  },

  writeEarlyHints(hints, callback) {
    validateObject(hints, 'hints');
    if (hints.link === null || hints.link === undefined) return;
    const link = linkOf(hints.link);
    if (link.length === 0) return;
    let head = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n`;
    for (const name of over(Object.keys(hints))) if (name !== 'link') head += `${name}: ${hints[name]}\r\n`;
    this._writeRaw(`${head}\r\n`, 'ascii', callback);
  },
});

module.exports = { ServerResponse, emitClose };
