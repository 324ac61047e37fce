'use strict';
// https.Server: a tls.Server whose connections speak HTTP.

// own methods: socket
const tls = require('tls');
const http = require('http');
const { validateObject } = require('internal/errors');
const { beforeClose, connected, setUp, watch } = require('internal/http/server');
const { kConnections } = require('internal/http/connection');
const { kUnique, uniqueNames } = require('internal/http/outgoing');

function Server(options, listener) {
  if (!(this instanceof Server)) return new Server(options, listener);
  let given = options;
  let welcome = listener;
  if (typeof options === 'function') {
    given = {};
    welcome = options;
  } else if (options === undefined || options === null) {
    given = {};
  } else {
    validateObject(options, 'options');
  }
  setUp(this, given);
  const ALPNProtocols = given.ALPNProtocols || given.ALPNCallback ? undefined : ['http/1.1'];
  this[kConnections] = new Set();
  this[kUnique] = uniqueNames(given.uniqueHeaders);
  Reflect.apply(tls.Server, this, [{ noDelay: true, ALPNProtocols, ...given }, connected]);
  this.httpAllowHalfOpen = false;
  if (welcome) this.on('request', welcome);
  this.on('tlsClientError', refused);
  this.on('listening', watch);
  this.timeout = 0;
  this.maxHeadersCount = null;
}
Object.setPrototypeOf(Server.prototype, tls.Server.prototype);
Object.setPrototypeOf(Server, tls.Server);

function refused(error, socket) {
  if (!this.emit('clientError', error, socket)) socket.destroy(error);
}

Object.assign(Server.prototype, {
  closeAllConnections: http.Server.prototype.closeAllConnections,
  closeIdleConnections: http.Server.prototype.closeIdleConnections,
  setTimeout: http.Server.prototype.setTimeout,
  close(...args) {
    beforeClose(this);
    Reflect.apply(tls.Server.prototype.close, this, args);
    return this;
  },
});
Server.prototype[Symbol.asyncDispose] = http.Server.prototype[Symbol.asyncDispose];

module.exports = { Server };
