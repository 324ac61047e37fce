'use strict';
// http.Server: a net.Server whose connections speak HTTP.

const { over } = intrinsics;
const EventEmitter = require('events');
const net = require('internal/net/server');
const timers = require('timers');
const binding = native('http');
const { Connection, failed, kConnections, kResponse } = require('internal/http/connection');
const { IncomingMessage } = require('internal/http/incoming');
const { kIncoming } = require('internal/http/parsers');
const { ServerResponse } = require('internal/http/response');
const { kUnique, uniqueNames } = require('internal/http/outgoing');
const { coded, invalidArgType, outOfRange, validateBoolean, validateInteger, validateObject } = require('internal/errors');

const kChecking = Symbol('connectionsCheckingInterval');

const count = (value, name) => validateInteger(value, name, 0);

// Each option: its check and what it is if it isn't given.
const OPTIONS = {
  maxHeaderSize: [count, undefined],
  insecureHTTPParser: [(value, name) => validateBoolean(value, `options.${name}`), undefined],
  requestTimeout: [count, 300000],
  headersTimeout: [count, 60000],
  keepAliveTimeout: [count, 5000],
  connectionsCheckingInterval: [count, 30000],
  requireHostHeader: [(value, name) => validateBoolean(value, `options.${name}`), true],
  joinDuplicateHeaders: [(value, name) => validateBoolean(value, `options.${name}`), undefined],
  rejectNonStandardBodyWrites: [(value, name) => validateBoolean(value, `options.${name}`), false],
};

function storeOptions(server, options) {
  server[kIncoming] = options.IncomingMessage || IncomingMessage;
  server[kResponse] = options.ServerResponse || ServerResponse;
  for (const name of over(Object.keys(OPTIONS))) {
    const { 0: check, 1: otherwise } = OPTIONS[name];
    const value = options[name];
    if (value !== undefined) check(value, name);
    server[name] = value === undefined ? otherwise : value;
  }
  if (options.headersTimeout === undefined) server.headersTimeout = Math.min(server.headersTimeout, server.requestTimeout || Infinity);
  if (server.requestTimeout > 0 && server.headersTimeout > 0 && server.headersTimeout > server.requestTimeout)
    throw outOfRange('headersTimeout', '<= requestTimeout', options.headersTimeout);
}

function Server(options, listener) {
  if (!(this instanceof Server)) return new Server(options, listener);
  setUp(this, options, listener);
}
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
Object.setPrototypeOf(Server, net.Server);

function setUp(server, given, listener) {
  let options = given;
  let welcome = listener;
  if (typeof given === 'function') {
    welcome = given;
    options = {};
  } else if (given === undefined || given === null) {
    options = {};
  } else {
    validateObject(given, 'options');
  }
  storeOptions(server, options);
  Reflect.apply(net.Server, server, [{
    allowHalfOpen: true, noDelay: options.noDelay ?? true, keepAlive: options.keepAlive,
    keepAliveInitialDelay: options.keepAliveInitialDelay, highWaterMark: options.highWaterMark,
  }]);
  if (welcome) server.on('request', welcome);
  server.timeout = server.maxRequestsPerSocket = 0;
  server.maxHeadersCount = null;
  server.httpAllowHalfOpen = false;
  server.on('listening', watch);
  server.on('connection', connected);
  server[kConnections] = new Set();
  server[kChecking] = undefined;
  server[kUnique] = uniqueNames(options.uniqueHeaders);
}

function connected(socket) {
  new Connection(this, socket).open();
}

// --- slow clients --------------------------------------------------------------------------------

// Looks now and then for clients that take too long.
function watch() {
  unwatch(this);
  this[kConnections] ??= new Set();
  this[kChecking] = timers.setInterval(() => check(this), this.connectionsCheckingInterval).unref();
}

function unwatch(server) {
  if (server[kChecking] === undefined) return;
  timers.clearInterval(server[kChecking]);
}

function isLate(server, since, now) {
  if (since === 0) return false;
  const { headersTimeout, requestTimeout } = server;
  if (since > 0 && headersTimeout > 0 && since < now - headersTimeout) return true;
  return requestTimeout > 0 && (since < 0 ? -since : since) < now - requestTimeout;
}

function check(server) {
  if (server.headersTimeout === 0 && server.requestTimeout === 0) return;
  const now = binding.now();
  const late = [];
  for (const connection of over(server[kConnections]))
    if (isLate(server, connection.parser.since, now)) late[late.length] = connection;
  for (let i = 0; i < late.length; i++)
    Reflect.apply(failed, late[i].socket, [coded(Error, 'ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout')]);
}

// --- the end -----------------------------------------------------------------------------------------

function destroyIf(server, test) {
  for (const connection of over([...over(server[kConnections])])) if (test(connection)) connection.socket.destroy();
}

function isIdle({ parser, socket }) {
  const response = socket._httpMessage;
  return parser.since === 0 && (!response || response.finished);
}

// Called before the server stops listening.
function beforeClose(server) {
  server.closeIdleConnections();
  unwatch(server);
}

Object.assign(Server.prototype, {
  close(...args) {
    beforeClose(this);
    Reflect.apply(net.Server.prototype.close, this, args);
    return this;
  },

  closeAllConnections() {
    destroyIf(this, () => true);
  },

  closeIdleConnections() {
    destroyIf(this, isIdle);
  },

  setTimeout(ms, callback) {
    this.timeout = ms;
    if (callback) this.on('timeout', callback);
    return this;
  },
});

Server.prototype[Symbol.asyncDispose] = function () {
  return new Promise((resolve, reject) => this.close((error) => error ? reject(error) : resolve()));
};

// A listener that was rejected: the request that it was for gets an error, the server stays.
Server.prototype[EventEmitter.captureRejectionSymbol] = function (error, event, ...args) {
  if (event !== 'request') {
    Reflect.apply(net.Server.prototype[EventEmitter.captureRejectionSymbol], this, [error, event, ...over(args)]);
    return;
  }
  const { 1: response } = args;
  if (response.headersSent || response.writableEnded) {
    response.destroy();
    return;
  }
  for (const name of over(response.getHeaderNames())) response.removeHeader(name);
  response.statusCode = 500;
  response.end('Internal Server Error');
};

module.exports = { Server, beforeClose, connected, kChecking, kResponse, setUp: storeOptions, watch };
