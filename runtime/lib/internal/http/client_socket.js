'use strict';
// The socket of a client's request: what comes in becomes the response, and what happens to the
// socket happens to the request. After the response the socket is free for another request.

// own methods: response
const { over } = intrinsics;
const parsers = require('internal/http/parsers');
const tools = require('internal/tools');
const { drained } = require('internal/http/outgoing');
const { emitError, hearTimeout, requestTimedOut } = require('internal/http/request');
const { reset, settings } = require('internal/http/words');

const isInformational = (status) => status < 200 && status >= 100 && status !== 101;

function attach(request, socket) {
  const parser = parsers.alloc();
  request.socket = socket;
  parser.start(parsers.RESPONSE, request.maxHeaderSize || settings.maxHeaderSize,
    request.insecureHTTPParser ?? settings.isLenient, false);
  parser.socket = socket;
  parser.outgoing = request;
  parser.joinDuplicateHeaders = request.joinDuplicateHeaders;
  parser.onIncoming = onResponse;
  if (typeof request.maxHeadersCount === 'number') parser.maxHeaderPairs = request.maxHeadersCount << 1;
  request.parser = parser;
  socket.parser = parser;
  socket._httpMessage = request;
  socket.on('error', onError);
  socket.on('data', onData);
  socket.on('end', onEnd);
  socket.on('close', onClose);
  socket.on('drain', onDrain);
  if (request.timeout !== undefined || request.agent?.options?.timeout) hearTimeout(request);
  if (tools.noteRequest !== undefined) tools.noteRequest(socket, request.method, request.path, request, 'response');
  request.emit('socket', socket);
}

// Ends the reading of responses from the socket.
function detach(socket, request) {
  socket.removeListener('data', onData);
  socket.removeListener('end', onEnd);
  socket.removeListener('drain', onDrain);
  parsers.free(socket.parser, request, socket);
}

function endParser(socket, request) {
  const { parser } = socket;
  if (!parser) return;
  parser.finish();
  parsers.free(parser, request, socket);
}

// --- what the socket does ------------------------------------------------------------------------

function onDrain() {
  drained(this._httpMessage);
}

function onClose() {
  const { _httpMessage: request, parser } = this;
  const { res: response } = request;
  request.destroyed = true;
  if (response) {
    if (!response.complete) response.destroy(reset('aborted'));
    request._closed = true;
    request.emit('close');
    if (!response.aborted && response.readable) response.push(null);
  } else {
    hangUp(request);
    request._closed = true;
    request.emit('close');
  }
  if (request.outputData) request.outputData.length = 0; // it will not be written
  if (parser) {
    parser.finish();
    parsers.free(parser, request, this);
  }
}

// The error of a request without an answer, once.
function hangUp(request) {
  if (request.socket._hadError) return;
  request.socket._hadError = true;
  emitError(request, reset('socket hang up'));
}

function onError(error) {
  const request = this._httpMessage;
  if (request) {
    request.socket._hadError = true;
    emitError(request, error);
  }
  endParser(this, request);
  this.removeListener('data', onData);
  this.removeListener('end', onEnd);
  this.destroy();
}

function onEnd() {
  const request = this._httpMessage;
  if (!request.res) hangUp(request);
  endParser(this, request);
  this.end();
}

function onData(bytes) {
  const { _httpMessage: request, parser } = this;
  const result = parser.execute(bytes);
  const message = parser.incoming;
  if (result instanceof Error) {
    parsers.free(parser, request, this);
    this.removeListener('data', onData);
    this.removeListener('end', onEnd);
    this.destroy();
    request.socket._hadError = true;
    emitError(request, result);
  } else if (message?.upgrade) {
    upgrade(this, request, message, bytes.subarray(result));
  } else if (message?.complete && !isInformational(message.statusCode)) {
    detach(this, request);
  }
}

// The bytes that follow aren't HTTP any more: 101, or the answer to CONNECT.
function upgrade(socket, request, response, rest) {
  const { parser } = socket;
  request.res = response;
  for (const { 0: event, 1: listener } of over([['timeout', request.timeoutCb], ['timeout', responseTimedOut], ['drain', onDrain],
    ['end', onEnd], ['data', onData]])) {
    if (listener) socket.removeListener(event, listener);
  }
  parser.finish();
  parsers.free(parser, request, socket);
  const name = request.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (request.listenerCount(name) === 0) socket.destroy();
  else handOver(socket, request, () => request.emit(name, response, socket, rest));
}

// The socket is the program's from now on.
function handOver(socket, request, announce) {
  request.upgradeOrConnect = true;
  socket.emit('agentRemove');
  socket._httpMessage = null;
  socket.readableFlowing = null;
  socket.removeListener('error', onError);
  socket.removeListener('close', onClose);
  announce();
  request._closed = request.destroyed = true;
  request.emit('close');
}

// --- the response ------------------------------------------------------------------------------------

const SKIP = 1;
const NO_HTTP = 2;

// Called by the parser, as its method.
function onResponse(response, isPersistent) {
  const { socket } = this;
  const request = socket._httpMessage;
  if (request.res) { // a second response
    socket.destroy();
    return 0;
  }
  request.res = response;
  if (response.upgrade) return NO_HTTP;
  if (request.method === 'CONNECT') {
    response.upgrade = true;
    return NO_HTTP;
  }
  if (isInformational(response.statusCode)) {
    request.res = null; // the answer is still to come
    inform(request, response);
    return SKIP;
  }
  if (request.shouldKeepAlive && !isPersistent && !request.upgradeOrConnect) request.shouldKeepAlive = false;
  if (tools.publish !== undefined) tools.publish('http.client.response.finish', { request, response });
  response.req = request;
  if (tools.noteRequest !== undefined) tools.noteRequest(socket, request.method, request.path, request, 'response');
  response.on('end', responseEnded);
  request.on('finish', requestFinished);
  socket.on('timeout', responseTimedOut);
  // Nobody will read a response that nobody listens for.
  if (request.aborted || !request.emit('response', response)) response._dump();
  if (request.method === 'HEAD') return SKIP;
  if (response.statusCode !== 304) return 0;
  response.complete = true;
  return SKIP;
}

function inform(request, response) {
  if (response.statusCode === 100) request.emit('continue');
  const { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = response;
  request.emit('information', { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders });
}

function responseTimedOut() {
  this._httpMessage?.res?.emit('timeout');
}

// --- the end -----------------------------------------------------------------------------------------

function responseEnded() {
  const { req: request } = this;
  const { socket } = request;
  if (socket) {
    if (request.timeoutCb) socket.removeListener('timeout', requestTimedOut);
    socket.removeListener('timeout', responseTimedOut);
  }
  request._ended = true;
  if (request.shouldKeepAlive) {
    // If the request is still being written, its end comes first.
    if (request.writableFinished && !this.aborted) keep(request);
  } else if (socket.writable) {
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  }
}

function requestFinished() {
  if (this.shouldKeepAlive && this._ended) keep(this);
}

// The socket is free, after the program's own listeners of 'end'.
function keep(request) {
  const { socket } = request;
  if (request.timeoutCb) {
    socket.setTimeout(0, request.timeoutCb);
    request.timeoutCb = null;
  }
  socket.removeListener('close', onClose);
  socket.removeListener('error', onError);
  process.nextTick(free, request);
  request.destroyed = true;
  if (request.res) request.res.socket = null; // another's from now on
}

function free(request) {
  request._closed = true;
  request.emit('close');
  request.socket?.emit('free');
}

module.exports = { attach };
