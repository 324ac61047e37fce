'use strict';
// tls.createSecurePair(): deprecated, TLS over one end of a pair of streams.

const EventEmitter = require('events');
const { deprecate } = require('util');
const duplexPair = require('internal/streams/pair');
const { createSecureContext } = require('internal/tls/context');
const { TLSSocket } = require('internal/tls/socket');

class SecurePair extends EventEmitter {
  constructor(secureContext = createSecureContext(), isServer = false, requestCert = !isServer, rejectUnauthorized = false, options = {}) {
    super();
    const { 0: encrypted, 1: inner } = duplexPair();
    this.server = options.server;
    this.credentials = secureContext;
    this.encrypted = encrypted;
    this.cleartext = new TLSSocket(inner, { secureContext, isServer, requestCert, rejectUnauthorized, ...options });
    this.cleartext.once('secure', () => this.emit('secure'));
  }

  destroy() {
    this.cleartext.destroy();
    this.encrypted.destroy();
  }
}

module.exports = {
  createSecurePair: deprecate((context, isServer, requestCert, rejectUnauthorized, options) =>
    new SecurePair(context, isServer, requestCert, rejectUnauthorized, options),
  'tls.createSecurePair() is deprecated. Please use tls.TLSSocket instead.', 'DEP0064'),
};
