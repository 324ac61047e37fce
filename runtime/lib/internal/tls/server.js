'use strict';
// tls.Server: a net.Server that makes a TLSSocket of each connection.

// own methods: socket, server
const { arrayPush, arrayJoin, over, regexpReplace, regexpTest, stringSlice } = intrinsics;
const binding = native('tls');
const { deprecate } = require('util');
const EventEmitter = require('events');
const { Server: NetServer } = require('internal/net/server');
const { invalidArgType, validateBuffer, validateFunction, validateString } = require('internal/errors');
const { convertALPNProtocols, failure, insist, reset } = require('internal/tls/library');
const { SecureContext, createSecureContext } = require('internal/tls/context');
const { TLSSocket } = require('internal/tls/socket');

const kErrorEmitted = Symbol('error-emitted');
const kSettings = Symbol('settings');
const HANDSHAKE_MS = 120 * 1000;

function Server(options, listener) {
  if (!(this instanceof Server)) return new Server(options, listener);
  if (typeof options === 'function') {
    listener = options;
    options = {};
  } else if (options !== undefined && options !== null && typeof options !== 'object') {
    throw invalidArgType('options', 'of type object', options);
  }
  options ??= {};
  this._contexts = [];
  this.requestCert = options.requestCert === true;
  this.rejectUnauthorized = options.rejectUnauthorized !== false;
  this.ALPNCallback = options.ALPNCallback;
  if (options.ALPNCallback && options.ALPNProtocols)
    throw require('internal/errors').coded(TypeError, 'ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS', 'The ALPNCallback and ALPNProtocols TLS options are mutually exclusive');
  if (options.sessionTimeout) this.sessionTimeout = options.sessionTimeout;
  if (options.ticketKeys) this.ticketKeys = options.ticketKeys;
  if (options.ALPNProtocols) convertALPNProtocols(options.ALPNProtocols, this);
  this.setSecureContext(options);
  const { SNICallback, enableTrace, pskCallback, pskIdentityHint } = options;
  const handshakeTimeout = options.handshakeTimeout || HANDSHAKE_MS;
  if (typeof handshakeTimeout !== 'number') throw invalidArgType('options.handshakeTimeout', 'of type number', handshakeTimeout);
  if (SNICallback !== undefined && SNICallback !== null && SNICallback !== '') validateFunction(SNICallback, 'options.SNICallback');
  if (pskCallback) validateFunction(pskCallback, 'options.pskCallback');
  if (pskIdentityHint) validateString(pskIdentityHint, 'options.pskIdentityHint');
  Object.defineProperty(this, kSettings, { __proto__: null,
    value: { SNICallback: SNICallback || searchIn(this), enableTrace, handshakeTimeout, pskCallback, pskIdentityHint },
  });
  Reflect.apply(NetServer, this, [options, welcome]);
  if (listener) this.on('secureConnection', listener);
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);

// --- connections -----------------------------------------------------------------------------------

function welcome(raw) {
  const { ALPNCallback, ALPNProtocols, _sharedCreds: secureContext, pauseOnConnect, rejectUnauthorized, requestCert } = this;
  const socket = new TLSSocket(raw, {
    ...this[kSettings], ALPNCallback, ALPNProtocols, isServer: true, pauseOnConnect, rejectUnauthorized, requestCert, secureContext, server: this,
  });
  socket[kErrorEmitted] = false;
  socket.on('secure', onSecure);
  socket.on('close', onClose);
  socket.on('_tlsError', onError);
  if (this.listenerCount('keylog') > 0) socket.on('keylog', (line) => this.emit('keylog', line, socket));
}

function onSecure() {
  if (this._requestCert) {
    const found = binding.verifyError(this._handle);
    if (found === null) {
      this.authorized = true;
    } else {
      this.authorizationError = found[0];
      if (this._rejectUnauthorized) this.destroy();
    }
  }
  if (!this.destroyed && this._releaseControl()) {
    const { server } = this._tlsOptions;
    server.emit('secureConnection', this);
  }
}

function report(socket, error) {
  if (socket._controlReleased || socket[kErrorEmitted]) return;
  socket[kErrorEmitted] = true;
  const { server } = socket._tlsOptions;
  server.emit('tlsClientError', error, socket);
}

function onClose() {
  if (!this._controlReleased && !this[kErrorEmitted]) report(this, reset('socket hang up'));
}

function onError(error) {
  report(this, error);
}

Server.prototype[EventEmitter.captureRejectionSymbol] = function (error, event, socket) {
  if (event === 'secureConnection') socket.destroy(error);
  else Reflect.apply(NetServer.prototype[EventEmitter.captureRejectionSymbol], this, [error, event, socket]);
};

// --- contexts ----------------------------------------------------------------------------------------

// The context that was added last for such a name.
function searchIn(server) {
  const search = (servername, callback) => {
    const { _contexts: contexts } = server;
    for (let i = contexts.length - 1; i >= 0; i--)
      if (regexpTest(contexts[i][0], servername)) {
        callback(null, contexts[i][1]);
        return;
      }
    callback(null, undefined);
  };
  search.searches = true;
  return search;
}

const SHARED = ['pfx', 'key', 'passphrase', 'cert', 'clientCertEngine', 'ca', 'minVersion', 'maxVersion', 'secureProtocol', 'crl',
  'sigalgs', 'ciphers', 'ecdhCurve', 'dhparam', 'allowPartialTrustChain', 'privateKeyIdentifier', 'privateKeyEngine'];

// Processes of one program share its sessions.
function sessionName() {
  const { createHash } = require('crypto');
  return stringSlice.call(createHash('sha1').update(arrayJoin.call(process.argv, ' ')).digest('hex'), 0, 32);
}

Object.assign(Server.prototype, {
  setSecureContext(options) {
    require('internal/errors').validateObject(options, 'options');
    for (const name of over(SHARED)) this[name] = options[name] || undefined;
    this.ciphers = options.ciphers;
    this.ecdhCurve = options.ecdhCurve;
    this.dhparam = options.dhparam;
    this.secureOptions = options.secureOptions || undefined;
    this.honorCipherOrder = options.honorCipherOrder !== undefined ? Boolean(options.honorCipherOrder) : true;
    this.sessionIdContext = options.sessionIdContext || sessionName();
    if (options.sessionTimeout) this.sessionTimeout = options.sessionTimeout;
    if (options.ticketKeys) this.ticketKeys = options.ticketKeys;
    const shared = {
      secureOptions: this.secureOptions, honorCipherOrder: this.honorCipherOrder, sessionIdContext: this.sessionIdContext,
      sessionTimeout: this.sessionTimeout, ticketKeys: this.ticketKeys,
    };
    for (const name of over(SHARED)) shared[name] = this[name];
    this._sharedCreds = createSecureContext(shared);
  },

  setOptions: deprecate(function setOptions(options) {
    for (const name of over(['requestCert', 'rejectUnauthorized', 'ticketKeys', 'honorCipherOrder'])) if (options[name] !== undefined) this[name] = options[name];
    for (const name of over([...over(SHARED), 'secureOptions', 'sessionTimeout', 'sessionIdContext'])) if (options[name]) this[name] = options[name];
    if (options.ALPNProtocols) convertALPNProtocols(options.ALPNProtocols, this);
  }, 'Server.prototype.setOptions() is deprecated', 'DEP0122'),

  addContext(servername, context) {
    if (!servername) throw failure('ERR_TLS_REQUIRED_SERVER_NAME');
    const literal = regexpReplace(/[.^$+?\-\\[\]{}()|]/g, servername, (letter) => `\\${letter}`);
    const pattern = new RegExp(`^${regexpReplace(/\*/g, literal, '[^.]*')}$`);
    const made = context instanceof SecureContext ? context : createSecureContext(context);
    arrayPush.call(this._contexts, [pattern, made.context]);
  },

  getTicketKeys() {
    return this._sharedCreds.context.getTicketKeys();
  },

  setTicketKeys(keys) {
    validateBuffer(keys);
    insist(keys.byteLength === 48, 'Session ticket keys must be a 48-byte buffer');
    this._sharedCreds.context.setTicketKeys(keys);
  },

  _getServerData() {
    return { ticketKeys: this.getTicketKeys().toString('hex') };
  },

  _setServerData(data) {
    this.setTicketKeys(require('buffer').Buffer.from(data.ticketKeys, 'hex'));
  },
});

module.exports = { Server };
