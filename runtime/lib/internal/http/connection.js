'use strict';
// A server's connection: its requests in their order, the responses that wait for their turn, and
// what happens when the socket fails, ends, pauses or is silent for too long.

const { NumberIsFinite, arrayAt, arrayPush, arrayShift, regexpTest } = intrinsics;
const EventEmitter = require('events');
const tools = require('internal/tools');
const { Socket, readHandle, refreshTimer } = require('internal/net/socket');
const parsers = require('internal/http/parsers');
const { drained, kUnique } = require('internal/http/outgoing');
const { emitClose } = require('internal/http/response');
const { reset, settings } = require('internal/http/words');

const kResponse = Symbol('ServerResponse'); // of a server: the class of its responses
const kConnections = Symbol('connections'); // of a server: the Connections that have a parser

// The answer to a client that has sent no valid request, by the error's code.
const refusal = (status) => `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
const REFUSALS = {
  __proto__: null,
  HPE_HEADER_OVERFLOW: refusal('431 Request Header Fields Too Large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusal('413 Payload Too Large'),
  ERR_HTTP_REQUEST_TIMEOUT: refusal('408 Request Timeout'),
};
const BAD_REQUEST = refusal('400 Bad Request');

const kRequest = Symbol('request'); // of a response
const nothing = () => {};

class Connection {
  constructor(server, socket) {
    this.server = server;
    this.socket = socket;
    this.parser = null;
    this.requests = [];
    this.waiting = []; // responses behind the present one
    this.pending = 0; // bytes of those
    this.count = 0; // of requests, while there is a limit
    this.isIdle = false; // keepAliveTimeout runs
    this.listeners = {
      data: (bytes) => this.received(bytes),
      end: () => this.ended(),
      close: () => this.closed(),
      drain: () => this.drained(),
    };
    // For each response: no functions of their own.
    const connection = this;
    this.onPending = (change) => this.changed(change);
    this.onFinish = function () {
      connection.finished(this[kRequest], this);
    };
  }

  open() {
    const { server, socket } = this;
    socket.server = server;
    if (server.timeout && typeof socket.setTimeout === 'function') socket.setTimeout(server.timeout);
    socket.on('timeout', timedOut);
    const parser = this.parser = parsers.alloc();
    const isLenient = server.insecureHTTPParser ?? settings.isLenient;
    parser.start(parsers.REQUEST, server.maxHeaderSize || settings.maxHeaderSize, isLenient, true, socket);
    parser.socket = socket;
    parser.connection = this;
    socket.parser = parser;
    if (typeof server.maxHeadersCount === 'number') parser.maxHeaderPairs = server.maxHeadersCount << 1;
    server[kConnections].add(this);
    socket.on('data', this.listeners.data);
    socket.on('error', failed);
    socket.on('end', this.listeners.end);
    socket.on('close', this.listeners.close);
    socket.on('drain', this.listeners.drain);
    parser.onIncoming = (request, isPersistent, flags) => this.begin(request, isPersistent, flags);
    parser.onRead = (result, size) => this.read(result, size);
    socket.on('resume', resumed);
    socket.on('pause', paused);
    this.consume();
    socket._paused = false;
  }

  // The parser reads from the handle itself, until somebody else wants to read from the socket.
  consume() {
    const { socket, parser } = this;
    if (!(socket instanceof Socket) || socket._handle === null || typeof socket._handle !== 'object') return;
    if (!parser.consume(socket._handle)) return;
    for (let i = 0; i < LISTENING.length; i++) socket[LISTENING[i]] = listening[LISTENING[i]];
    socket.setEncoding = noEncoding;
  }

  // --- requests -----------------------------------------------------------------------------------

  begin(request, isPersistent, flags) {
    const { server, socket } = this;
    this.busy();
    if (request.upgrade) {
      request.upgrade = request.method === 'CONNECT' || server.listenerCount('upgrade') > 0;
      if (request.upgrade) return 2;
    }
    arrayPush.call(this.requests, request);
    this.holdBack();
    const response = this.respond(request, isPersistent);
    if (tools.noteRequest !== undefined) tools.noteRequest(socket, request.method, request.url, server, 'request');
    if (tools.publish !== undefined) tools.publish('http.server.request.start', { request, response, socket, server });
    if (socket._httpMessage) arrayPush.call(this.waiting, response);
    else response.assignSocket(socket);
    response.on('finish', this.onFinish);
    if (tools.nameRequest !== undefined) tools.nameRequest(request, server);
    if (!this.answer(request, response, flags)) server.emit('request', request, response);
    return 0;
  }

  respond(request, isPersistent) {
    const { server, socket } = this;
    const response = new server[kResponse](request, {
      highWaterMark: socket.writableHighWaterMark, rejectNonStandardBodyWrites: server.rejectNonStandardBodyWrites,
    });
    response._keepAliveTimeout = server.keepAliveTimeout;
    response._maxRequestsPerSocket = server.maxRequestsPerSocket;
    response._onPendingData = this.onPending;
    response[kRequest] = request;
    response.shouldKeepAlive = isPersistent;
    response[kUnique] = server[kUnique];
    return response;
  }

  // A client that sends requests and doesn't take the answers must wait.
  holdBack() {
    const { socket } = this;
    if (socket._paused) return;
    if (!socket._writableState.needDrain && this.pending < socket.writableHighWaterMark) return;
    socket._paused = true;
    socket.pause(); // the parser pauses when it is through with what it has
  }

  // Requests that the server answers by itself; true if 'request' isn't to be emitted.
  answer(request, response, flags) {
    const { server } = this;
    if (request.httpVersionMajor !== 1 || request.httpVersionMinor !== 1) return false;
    if (server.requireHostHeader && (flags & parsers.HAS_HOST) === 0) {
      response.writeHead(400, ['Connection', 'close']);
      response.end();
      return true;
    }
    const most = server.maxRequestsPerSocket;
    if (typeof most === 'number' && most > 0) {
      this.count++;
      response.maxRequestsOnConnectionReached = most <= this.count;
      if (most < this.count) {
        server.emit('dropRequest', request, this.socket);
        response.writeHead(503);
        response.end();
        return true;
      }
    }
    return (flags & parsers.HAS_EXPECT) !== 0 && this.expected(request.headers.expect, request, response);
  }

  expected(expect, request, response) {
    const { server } = this;
    if (regexpTest(/(?:^|\W)100-continue(?:$|\W)/i, expect)) {
      response._expect_continue = true;
      if (server.listenerCount('checkContinue') > 0) {
        server.emit('checkContinue', request, response);
        return true;
      }
      response.writeContinue();
      return false;
    }
    if (server.listenerCount('checkExpectation') > 0) {
      server.emit('checkExpectation', request, response);
    } else {
      response.writeHead(417);
      response.end();
    }
    return true;
  }

  // --- responses ----------------------------------------------------------------------------------

  finished(request, response) {
    const { server, socket } = this;
    if (tools.publish !== undefined) tools.publish('http.server.response.finish', { request, response, socket, server });
    arrayShift.call(this.requests);
    // Nobody has begun to read the request: what is left of it must not stay on the wire.
    if (!request._consuming) request._dump();
    response.detachSocket(socket);
    this.release(request);
    process.nextTick(emitClose, response);
    if (response._last) {
      if (typeof socket.destroySoon === 'function') socket.destroySoon();
      else socket.end();
    } else if (this.waiting.length > 0) {
      arrayShift.call(this.waiting).assignSocket(socket);
    } else {
      this.idle();
    }
  }

  // The parser lets go of a request that has ended.
  release(request) {
    const parser = request.socket?.parser;
    if (!parser || parser.incoming !== request) return;
    if (request.readableEnded) parser.incoming = null;
    else request.on('end', () => this.release(request));
  }

  idle() {
    const { server, socket } = this;
    if (!server.keepAliveTimeout || typeof socket.setTimeout !== 'function') return;
    const ms = NumberIsFinite(server.keepAliveTimeout) && server.keepAliveTimeout >= 0 ? server.keepAliveTimeout : 0;
    socket.setTimeout(ms);
    this.isIdle = true;
  }

  busy() {
    if (!this.isIdle) return;
    this.socket.setTimeout(this.server.timeout || 0);
    this.isIdle = false;
  }

  changed(change) {
    this.pending += change;
    if (this.socket._paused && this.pending < this.socket.writableHighWaterMark) this.drained();
  }

  drained() {
    const { socket } = this;
    if (socket._paused && this.pending <= socket.writableHighWaterMark) {
      socket._paused = false;
      socket.parser?.resume();
      socket.resume();
    }
    drained(socket._httpMessage);
  }

  // --- what the socket does -------------------------------------------------------------------------

  received(bytes) {
    this.result(this.parser.execute(bytes), bytes);
  }

  // The parser has read from the handle.
  read(result, size) {
    refreshTimer(this.socket);
    this.result(result, this.parser.packet);
  }

  result(result, bytes) {
    const { socket } = this;
    this.busy();
    const { parser } = socket;
    if (result instanceof Error) {
      Reflect.apply(failed, socket, [result]);
    } else if (parser?.incoming?.upgrade) {
      this.upgrade(parser.incoming, bytes === null ? undefined : bytes, result);
    }
    if (socket._paused && socket.parser) socket.parser.pause();
  }

  upgrade(request, bytes, done) {
    const { server, socket, parser, listeners } = this;
    for (const name in listeners) socket.removeListener(name, listeners[name]);
    socket.removeListener('error', failed);
    socket.removeListener('timeout', timedOut);
    this.leave();
    parser.unconsume();
    parser.finish();
    parsers.free(parser, request, socket);
    const name = request.method === 'CONNECT' ? 'connect' : 'upgrade';
    if (name === 'connect' && server.listenerCount(name) === 0) {
      socket.destroy();
      return;
    }
    const { Buffer } = require('buffer');
    socket.readableFlowing = null;
    server.emit(name, request, socket, bytes === undefined ? Buffer.alloc(0) : bytes.subarray(done));
  }

  ended() {
    const { server, socket } = this;
    const problem = this.parser.finish();
    if (problem !== undefined) {
      Reflect.apply(failed, socket, [problem]);
    } else if (!server.httpAllowHalfOpen) {
      socket.end();
    } else if (this.waiting.length > 0) {
      arrayAt.call(this.waiting, -1)._last = true;
    } else if (socket._httpMessage) {
      socket._httpMessage._last = true;
    } else {
      socket.end();
    }
  }

  closed() {
    this.leave();
    parsers.free(this.socket.parser, null, this.socket);
    while (this.requests.length > 0) arrayShift.call(this.requests).destroy(reset('aborted'));
  }

  leave() {
    this.server[kConnections].delete(this);
  }
}

function failed(error) {
  this.removeListener('error', failed); // only once
  if (this.listenerCount('error', nothing) === 0) this.on('error', nothing);
  if (this.server.emit('clientError', error, this)) return;
  // Into the middle of an answer no other can be written.
  if (this.writable && (!this._httpMessage || !this._httpMessage._headerSent)) this.write(REFUSALS[error.code] ?? BAD_REQUEST);
  this.destroy(error);
}

// If nobody listens for the time-out, the connection ends.
function timedOut() {
  const request = this.parser?.incoming;
  const byRequest = Boolean(request) && !request.complete && request.emit('timeout', this);
  const response = this._httpMessage;
  const byResponse = Boolean(response) && response.emit('timeout', this);
  const byServer = this.server.emit('timeout', this);
  if (!byRequest && !byResponse && !byServer) this.destroy();
}

// --- a socket whose handle the parser reads --------------------------------------------------------

function resumed() {
  if (this._paused) { // 'resume' comes in a tick: the connection may have been held back since
    this.pause();
    return;
  }
  readHandle(this, true);
}

function paused() {
  readHandle(this, false);
}

function unconsume(socket) {
  for (let i = 0; i < LISTENING.length; i++) delete socket[LISTENING[i]];
  socket.parser?.unconsume();
}

const LISTENING = ['on', 'addListener', 'prependListener'];
const listening = {};
for (let i = 0; i < LISTENING.length; i++) {
  const name = LISTENING[i];
  listening[name] = function (event, listener) {
    const result = Reflect.apply(Socket.prototype[name] ?? EventEmitter.prototype[name], this, [event, listener]);
    if (event === 'data' || event === 'readable') unconsume(this);
    return result;
  };
}

function noEncoding() {
  const { coded } = require('internal/errors');
  throw coded(Error, 'ERR_HTTP_SOCKET_ENCODING', 'Changing the socket encoding is not allowed per RFC7230 Section 3.');
}

module.exports = { Connection, failed, kConnections, kResponse };
