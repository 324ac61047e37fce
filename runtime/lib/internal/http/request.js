'use strict';
// ClientRequest: a request, from its options to its socket. What the socket does then is in
// client_socket.js.

const {
  ArrayIsArray, NumberIsFinite, arrayIncludes, over, regexpTest, stringIncludes, stringIndexOf, stringStartsWith,
  stringToUpperCase,
} = intrinsics;
const { Buffer } = require('buffer');
const tools = require('internal/tools');
const { finished } = require('internal/streams/finished');
const { OutgoingMessage, kErrored, kList, kUnique, uniqueNames } = require('internal/http/outgoing');
const { badToken, headersSent, isToken, reset } = require('internal/http/words');
const {
  coded, invalidArgType, outOfRange, validateBoolean, validateInteger, validateNumber,
} = require('internal/errors');

const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

function ClientRequest(input, options, callback) {
  Reflect.apply(OutgoingMessage, this, []);
  const { 0: given, 1: listener } = argumentsOf(input, options, callback);
  const defaultAgent = given._defaultAgent || require('internal/http/agent').Agent.globalAgent;
  this.agent = agentOf(given, defaultAgent);
  const target = targetOf(this, given, defaultAgent);
  this.socketPath = given.socketPath;
  if (given.timeout !== undefined) this.timeout = durationOf(given.timeout, 'timeout');
  if (given.signal) require('internal/streams/signal').addAbortSignal(given.signal, this);
  setMethod(this, given.method);
  setLimits(this, given);
  this.path = given.path || '/';
  if (listener) this.once('response', listener);
  this.useChunkedEncodingByDefault = !arrayIncludes.call(BODILESS, this.method);
  this.host = target.host;
  this.protocol = target.protocol;
  this.res = this.parser = this.timeoutCb = this.maxHeadersCount = null;
  this.aborted = this.reusedSocket = this.upgradeOrConnect = this._ended = false;
  if (this.agent) {
    // The connection is kept only by an agent that would use it again.
    const isKept = this.agent.keepAlive || NumberIsFinite(this.agent.maxSockets);
    this._last = !isKept;
    this.shouldKeepAlive = Boolean(isKept);
  }
  setHeaders(this, given, target);
  this[kUnique] = uniqueNames(given.uniqueHeaders);
  connect(this, given);
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);

// --- options ---------------------------------------------------------------------------------------

// A WHATWG URL, of whatever class: the results of url.parse have `auth` and `path`.
const isURL = (value) => Boolean(value?.href && value.protocol) && value.auth === undefined && value.path === undefined;

function addressOf(input) {
  const { URL, urlToHttpOptions } = require('url');
  if (typeof input === 'string') return urlToHttpOptions(new URL(input));
  return isURL(input) ? urlToHttpOptions(input) : undefined;
}

// request([address, ][options, ][listener])
function argumentsOf(input, options, callback) {
  const address = addressOf(input);
  const { 0: given, 1: listener } = address === undefined ? [input, options] : [options, callback];
  if (typeof given === 'function') return [address ?? {}, given];
  return [Object.assign(address ?? {}, given), listener];
}

function agentOf({ agent, createConnection }, defaultAgent) {
  if (agent === false) return new defaultAgent.constructor();
  if (agent === null || agent === undefined) return typeof createConnection === 'function' ? agent : defaultAgent;
  if (typeof agent.addRequest === 'function') return agent;
  throw invalidArgType('options.agent', 'one of Agent-like Object, undefined, or false', agent);
}

function validateHost(host, name) {
  if (host !== null && host !== undefined && typeof host !== 'string')
    throw invalidArgType(`options.${name}`, 'of type string or one of undefined or null', host);
  return host;
}

function targetOf(request, options, defaultAgent) {
  const { agent } = request;
  const protocol = options.protocol || defaultAgent.protocol;
  const expected = agent?.protocol || defaultAgent.protocol;
  if (options.path) {
    const path = String(options.path);
    if (regexpTest(/[^\u0021-\u00ff]/, path))
      throw coded(TypeError, 'ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters');
  }
  if (protocol !== expected)
    throw coded(TypeError, 'ERR_INVALID_PROTOCOL', `Protocol "${protocol}" not supported. Expected "${expected}"`);
  const defaultPort = options.defaultPort || agent?.defaultPort;
  const port = options.port = options.port || defaultPort || 80;
  const host = options.host = validateHost(options.hostname, 'hostname') || validateHost(options.host, 'host') || 'localhost';
  return { protocol, defaultPort, port, host };
}

function setMethod(request, method) {
  if (method !== null && method !== undefined && typeof method !== 'string')
    throw invalidArgType('options.method', 'of type string', method);
  if (method && !isToken(method)) throw badToken('Method', method);
  request.method = method ? stringToUpperCase.call(method) : 'GET';
}

function setLimits(request, { maxHeaderSize, insecureHTTPParser, joinDuplicateHeaders }) {
  if (maxHeaderSize !== undefined) validateInteger(maxHeaderSize, 'maxHeaderSize', 0);
  request.maxHeaderSize = maxHeaderSize;
  if (insecureHTTPParser !== undefined) validateBoolean(insecureHTTPParser, 'options.insecureHTTPParser');
  request.insecureHTTPParser = insecureHTTPParser;
  if (joinDuplicateHeaders !== undefined) validateBoolean(joinDuplicateHeaders, 'options.joinDuplicateHeaders');
  request.joinDuplicateHeaders = joinDuplicateHeaders;
}

function durationOf(ms, name) {
  validateNumber(ms, name);
  if (!(ms >= 0 && NumberIsFinite(ms))) throw outOfRange(name, 'a non-negative finite number', ms);
  if (ms <= 2 ** 31 - 1) return ms;
  process.emitWarning(`${ms} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${2 ** 31 - 1}.`, 'TimeoutOverflowWarning');
  return 2 ** 31 - 1;
}

// --- headers -----------------------------------------------------------------------------------------

// "example.com:8080"; an IPv6 address in brackets.
function hostHeader({ host, port, defaultPort }) {
  const colon = stringIndexOf.call(host, ':');
  const isBare = colon !== -1 && stringIncludes.call(host, ':', colon + 1) && !stringStartsWith.call(host, '[');
  const name = isBare ? `[${host}]` : host;
  return port && +port !== defaultPort ? `${name}:${port}` : name;
}

function setHeaders(request, { headers, auth, setHost }, target) {
  if (ArrayIsArray(headers)) {
    request._storeHeader(`${request.method} ${request.path} HTTP/1.1\r\n`, headers);
    return;
  }
  if (headers) for (const name of over(Object.keys(headers))) request.setHeader(name, headers[name]);
  if (target.host && !request.getHeader('host') && (setHost === undefined || setHost)) request.setHeader('Host', hostHeader(target));
  if (auth && !request.getHeader('Authorization'))
    request.setHeader('Authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
  if (request.getHeader('expect')) request._implicitHeader();
}

// --- the socket --------------------------------------------------------------------------------------

function connect(request, given) {
  const { signal, ...options } = given;
  if (request.agent) {
    request.agent.addRequest(request, options);
    return;
  }
  request._last = true;
  request.shouldKeepAlive = false;
  // The path of a request isn't that of a socket.
  if (options.path || options.socketPath) options.path = options.socketPath || undefined;
  if (typeof options.createConnection !== 'function') {
    request.onSocket(require('net').createConnection(options));
    return;
  }
  let isAnswered = false;
  const answer = (error, socket) => {
    if (isAnswered) return;
    isAnswered = true;
    if (error) process.nextTick(() => emitError(request, error));
    else request.onSocket(socket);
  };
  try {
    const socket = options.createConnection(options, answer);
    if (socket) answer(null, socket);
  } catch (error) {
    answer(error);
  }
}

function emitError(request, error) {
  if (tools.publish !== undefined) tools.publish('http.client.request.error', { request, error });
  request.emit('error', error);
}

// A request that ends without a response.
function fail(request, given) {
  request.destroyed = true;
  const error = given ?? (request.aborted ? null : reset('socket hang up'));
  if (error) emitError(request, error);
  request._closed = true;
  request.emit('close');
}

function gotSocket(request, socket, error) {
  if (!request.destroyed && !error) {
    require('internal/http/client_socket').attach(request, socket);
    request._flush();
    return;
  }
  const reason = error || request[kErrored];
  if (!socket) {
    fail(request, reason);
  } else if (!error && request.agent && !socket.destroyed) {
    socket.emit('free'); // it may be good for another request
    fail(request, reason);
  } else {
    finished(socket.destroy(reason), (failure) => fail(request, (failure?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? null : failure) || error));
  }
}

function emitAbort(request) {
  request.emit('abort');
}

function requestTimedOut() {
  this._httpMessage?.emit('timeout');
}

// 'timeout' of the socket is one of the request.
function hearTimeout(request) {
  if (request.timeoutCb) return;
  request.timeoutCb = requestTimedOut;
  if (request.socket) request.socket.once('timeout', requestTimedOut);
  else request.on('socket', (socket) => socket.once('timeout', requestTimedOut));
}

function setSocketTimeout(socket, ms) {
  if (socket.connecting) socket.once('connect', () => socket.setTimeout(ms));
  else socket.setTimeout(ms);
}

// Calls a method of the socket, as soon as there is a connected one.
function whenConnected(request, act) {
  const withSocket = () => {
    if (request.socket.writable) act(request.socket);
    else request.socket.once('connect', () => act(request.socket));
  };
  if (request.socket) withSocket();
  else request.once('socket', withSocket);
}

Object.assign(ClientRequest.prototype, {
  _finish() {
    Reflect.apply(OutgoingMessage.prototype._finish, this, []);
    if (tools.publish !== undefined) tools.publish('http.client.request.start', { request: this });
  },

  _implicitHeader() {
    if (this._header) throw headersSent('render');
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kList]);
  },

  abort() {
    if (this.aborted) return;
    this.aborted = true;
    process.nextTick(emitAbort, this);
    this.destroy();
  },

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.res?._dump(); // nobody wants the rest
    this[kErrored] = error;
    this.socket?.destroy(error);
    return this;
  },

  onSocket(socket, error) {
    process.nextTick(gotSocket, this, socket, error);
  },

  _deferToConnect(method, args) {
    whenConnected(this, (socket) => {
      if (method) Reflect.apply(socket[method], socket, args);
    });
  },

  setTimeout(ms, callback) {
    if (this._ended) return this;
    hearTimeout(this);
    const duration = durationOf(ms, 'msecs');
    if (callback) this.once('timeout', callback);
    if (this.socket) setSocketTimeout(this.socket, duration);
    else this.once('socket', (socket) => setSocketTimeout(socket, duration));
    return this;
  },

  clearTimeout(callback) {
    this.setTimeout(0, callback);
  },

  setNoDelay(on) {
    this._deferToConnect('setNoDelay', [on]);
  },

  setSocketKeepAlive(on, delay) {
    this._deferToConnect('setKeepAlive', [on, delay]);
  },
});

module.exports = { ClientRequest, emitError, hearTimeout, requestTimedOut };
