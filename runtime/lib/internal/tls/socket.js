'use strict';
// TLSSocket: a net.Socket whose bytes go through TLS. Its handle is that of the socket below it, by
// a token of its own, or, over any other stream, a pipe that is never opened (internal/tls/over_stream).

// own methods: this, socket, server
const { ArrayBufferIsView, over } = intrinsics;
const binding = native('tls');
const streams = native('stream');
const handles = native('handle');
const { Buffer } = require('buffer');
const { Socket, kClose, kKind, kMake, kReopen } = require('internal/net/socket');
const {
  invalidArgType, validateBuffer, validateFunction, validateInt32, validateObject, validateString, validateUint32,
} = require('internal/errors');
const { bufferOf, checked, convertALPNProtocols, failure, plain } = require('internal/tls/library');
const { SecureContext, createSecureContext, tokenOf } = require('internal/tls/context');
const certificates = require('internal/tls/certificate');
const { kDisableRenegotiation, kFromServer, kPending, kPskCallback, kVerified, kWants } = require('internal/tls/events');

const OWN = 0;
const OVER_SOCKET = 1;
const OVER_STREAM = 2;

const kPlace = Symbol('place');
const kBelow = Symbol('below');
const kContext = Symbol('context');
const kAsked = Symbol('asked'); // settings that a handle gets anew when another address is tried

function TLSSocket(socket, options) {
  if (!(this instanceof TLSSocket)) return new TLSSocket(socket, options);
  const given = this._tlsOptions = { ...options };
  if (given.enableTrace !== undefined && given.enableTrace !== null && typeof given.enableTrace !== 'boolean')
    throw invalidArgType('options.enableTrace', 'of type boolean', given.enableTrace);
  if (given.ALPNProtocols) convertALPNProtocols(given.ALPNProtocols, given);
  Object.assign(this, {
    _secureEstablished: false, _securePending: false, _newSessionPending: false, _controlReleased: false, secureConnecting: true,
    _SNICallback: null, servername: null, alpnProtocol: null, authorized: false, authorizationError: null,
  });
  this[kVerified] = false;
  this[kPending] = null;
  this[kAsked] = {};
  this[kWants] = {};
  this[kBelow] = socket;
  this[kPlace] = !socket ? OWN : socket instanceof Socket && socket._handle && !(socket instanceof TLSSocket) ? OVER_SOCKET : OVER_STREAM;
  this[kContext] = tokenOf(given.secureContext || createSecureContext(given));
  if (this[kContext] === undefined) throw failure('ERR_TLS_INVALID_CONTEXT');
  this.encrypted = true;
  Reflect.apply(Socket, this, [{
    [kMake]: (made) => openHandle(made),
    kind: kindOf(this, given),
    allowHalfOpen: socket ? socket.allowHalfOpen : given.allowHalfOpen,
    pauseOnCreate: given.pauseOnConnect,
    manualStart: true,
    highWaterMark: given.highWaterMark,
    onread: socket ? undefined : given.onread,
    signal: given.signal,
  }]);
  if (given.pauseOnConnect) this.readableFlowing = false;
  this.ssl = this._handle;
  this.on('error', this._tlsError);
  prepare(this);
  follow(this, socket);
  // In the next tick, so that the caller can set up listeners before.
  process.nextTick(begin, this);
}
Object.setPrototypeOf(TLSSocket.prototype, Socket.prototype);
Object.setPrototypeOf(TLSSocket, Socket);

// --- the handle ----------------------------------------------------------------------------------

const kindOf = (socket, { pipe }) =>
  socket[kPlace] === OWN ? (pipe ? 'pipe' : 'tcp') : socket[kPlace] === OVER_SOCKET ? socket[kBelow][kKind] : 'pipe';

function attach(socket, token) {
  const made = binding.attach(token, socket, socket[kContext], Boolean(socket._tlsOptions.isServer), socket[kPlace]);
  if (typeof made === 'number') throw native('process').uvError(made, 'attach');
  return made;
}

function openHandle(socket) {
  if (socket[kPlace] === OVER_SOCKET) return attach(socket, socket[kBelow]._handle);
  const asPipe = socket[kPlace] === OVER_STREAM || socket._tlsOptions.pipe;
  return attach(socket, asPipe ? streams.pipe(socket, false) : streams.tcp(socket));
}

// Settings of the connection, from the options.
function prepare(socket) {
  const { _handle: handle, _tlsOptions: options } = socket;
  const { isServer, server } = options;
  socket.server = server;
  socket._requestCert = Boolean(options.requestCert) || !isServer;
  socket._rejectUnauthorized = Boolean(options.rejectUnauthorized);
  if (socket._requestCert || socket._rejectUnauthorized) binding.setVerify(handle, socket._requestCert, socket._rejectUnauthorized);
  if (options.enableTrace) binding.trace(handle);
  wantKeys(socket);
  if (isServer) prepareServer(socket, options);
  else prepareClient(socket, options);
  if (options.ALPNProtocols) {
    if (!ArrayBufferIsView(options.ALPNProtocols)) throw new TypeError('Must give a Buffer as first argument');
    binding.setALPN(handle, options.ALPNProtocols);
  }
  if (options.pskCallback) preparePsk(socket, options);
  if (options.handshakeTimeout > 0) socket.setTimeout(options.handshakeTimeout, socket._handleTimeout);
}

// A listener's wish is asked of the connection when there is one.
function when(socket, event, ask) {
  if (socket.listenerCount(event) > 0) ask();
  else
    socket.on('newListener', function listened(name) {
      if (name !== event) return;
      if (socket._handle !== null) ask();
      socket.removeListener('newListener', listened);
    });
}

function wantKeys(socket) {
  when(socket, 'keylog', () => binding.logKeys(socket._handle));
}

function prepareServer(socket, { ALPNCallback, SNICallback, server }) {
  const { _handle: handle } = socket;
  socket[kFromServer] = { last: 0, count: 0 };
  if (ALPNCallback) {
    validateFunction(ALPNCallback, 'options.ALPNCallback');
    socket._ALPNCallback = ALPNCallback;
    binding.askALPN(handle);
  }
  if (server) {
    const listens = (event) => server.listenerCount(event) > 0;
    if (listens('resumeSession') || listens('newSession')) {
      binding.askSessions(handle);
      binding.askHello(handle);
    }
    if (listens('OCSPRequest')) binding.askCertificate(handle);
  }
  // The server's own search is needed only if there is something to find.
  if (SNICallback) validateFunction(SNICallback, 'options.SNICallback');
  if (SNICallback && (!SNICallback.searches || server?._contexts.length > 0)) {
    socket._SNICallback = SNICallback;
    binding.askCertificate(handle);
  }
}

function prepareClient(socket, { requestOCSP, session }) {
  const { _handle: handle } = socket;
  if (requestOCSP) binding.requestOCSP(handle);
  if (session) setSession(handle, session);
  when(socket, 'session', () => binding.askSessions(socket._handle));
}

function preparePsk(socket, { isServer, pskCallback, pskIdentityHint }) {
  validateFunction(pskCallback, 'pskCallback');
  socket[kPskCallback] = pskCallback;
  binding.askPSK(socket._handle);
  if (!isServer || !pskIdentityHint) return;
  validateString(pskIdentityHint, 'options.pskIdentityHint');
  if (!binding.setPskHint(socket._handle, pskIdentityHint)) {
    const error = failure('ERR_TLS_PSK_SET_IDENTIY_HINT_FAILED');
    process.nextTick(() => socket.destroy(error));
  }
}

// The socket below: its end is ours.
function follow(socket, below) {
  if (!below) {
    socket.connecting = true;
    return;
  }
  if (socket[kPlace] === OVER_STREAM) require('internal/tls/over_stream').open(socket, below);
  below.on('close', () => socket.destroy());
  if (!(below instanceof Socket)) return;
  socket._parent = below;
  socket.connecting = below.connecting || !below._handle;
  if (socket.connecting)
    below.once('connect', () => {
      socket.connecting = false;
      socket.emit('connect');
    });
}

function begin(socket) {
  const { _handle: handle } = socket;
  const below = socket[kBelow];
  if (handle === null) return;
  // Bytes that the socket below has read already are TLS, too.
  if (socket[kPlace] === OVER_SOCKET)
    while (socket._handle !== null && below.readableLength > 0) {
      const chunk = below.read();
      if (chunk === null) break;
      binding.feed(handle, typeof chunk === 'string' ? Buffer.from(chunk, below.readableEncoding) : chunk);
    }
  if (socket._tlsOptions.isServer && socket._handle !== null) binding.start(handle);
  if (socket._handle !== null) socket.read(0);
}

// When the next address of a name is tried, on a new handle.
Object.defineProperty(TLSSocket.prototype, kReopen, { __proto__: null,
  value() {
    const { servername, session } = this[kAsked];
    this.ssl = this._handle = attach(this, this._handle);
    prepare(this);
    if (servername !== undefined) binding.setServername(this._handle, servername);
    if (session !== undefined) binding.setSession(this._handle, session);
  },
});

Object.defineProperty(TLSSocket.prototype, kClose, { __proto__: null,
  value(handle, closed, resetting) {
    const below = this[kBelow];
    if (this[kPlace] === OWN) {
      Reflect.apply(Socket.prototype[kClose], this, [handle, closed, resetting]);
      return;
    }
    if (this[kPlace] === OVER_STREAM) {
      below.destroy();
      handles.close(handle, closed);
    } else if (below._handle === null) {
      process.nextTick(closed);
    } else {
      below.once('close', closed);
      if (resetting) below.resetAndDestroy();
      else below.destroy();
    }
  },
});

// --- life ------------------------------------------------------------------------------------------

const methods = {
  _start() {
    if (this.connecting) {
      this.once('connect', this._start);
      return;
    }
    // The socket may have been destroyed before it was connected.
    if (this._handle !== null) binding.start(this._handle);
  },

  _finishInit() {
    if (this._handle === null) return;
    // The server's store of sessions has to say that it has the new one.
    if (this._newSessionPending) {
      this._securePending = true;
      return;
    }
    this.alpnProtocol = binding.alpn(this._handle);
    // On a server the name that a client asked for is known already.
    this.servername ??= binding.servername(this._handle);
    this._secureEstablished = true;
    if (this._tlsOptions.handshakeTimeout > 0) this.setTimeout(0, this._handleTimeout);
    this.emit('secure');
  },

  _destroySSL() {
    this.ssl = null;
  },

  _handleTimeout() {
    this._emitTLSError(failure('ERR_TLS_HANDSHAKE_TIMEOUT'));
  },

  _emitTLSError(error) {
    const left = this._tlsError(error);
    if (left) this.emit('error', left); // what becomes of the socket is the listener's to say
  },

  // Until somebody has got the socket, errors are the server's.
  _tlsError(error) {
    this.emit('_tlsError', error);
    return this._controlReleased ? error : null;
  },

  _releaseControl() {
    if (this._controlReleased) return false;
    this._controlReleased = true;
    this.removeListener('error', this._tlsError);
    return true;
  },

  // --- settings ------------------------------------------------------------------------------------

  renegotiate(options, callback) {
    validateObject(options, 'options');
    if (callback !== undefined) validateFunction(callback, 'callback');
    if (this.destroyed) return undefined;
    const request = options.requestCert === undefined ? this._requestCert : Boolean(options.requestCert);
    const reject = options.rejectUnauthorized === undefined ? this._rejectUnauthorized : Boolean(options.rejectUnauthorized);
    if (request !== this._requestCert || reject !== this._rejectUnauthorized) {
      binding.setVerify(this._handle, request, reject);
      this._requestCert = request;
      this._rejectUnauthorized = reject;
    }
    try {
      checked(binding.renegotiate(this._handle));
    } catch (error) {
      if (callback) process.nextTick(callback, error);
      return false;
    }
    if (callback) this.once('secure', () => callback(null));
    return true;
  },

  disableRenegotiation() {
    this[kDisableRenegotiation] = true;
  },

  setMaxSendFragment(size) {
    validateInt32(size, 'size');
    return binding.setMaxFragment(this._handle, size);
  },

  setServername(name) {
    validateString(name, 'name');
    if (this._tlsOptions.isServer) throw failure('ERR_TLS_SNI_FROM_SERVER');
    this[kAsked].servername = name;
    binding.setServername(this._handle, name);
  },

  setSession(session) {
    this[kAsked].session = setSession(this._handle, session);
  },

  setKeyCert(context) {
    if (this._handle === null) return;
    const made = context instanceof SecureContext ? context : createSecureContext(context);
    checked(binding.setKeyCert(this._handle, tokenOf(made)));
  },

  enableTrace() {
    if (this._handle !== null) binding.trace(this._handle);
  },

  // --- facts ---------------------------------------------------------------------------------------

  getPeerCertificate(detailed) {
    return this._handle === null ? null : certificates.peerCertificate(this._handle, detailed) ?? {};
  },

  getCertificate() {
    return this._handle === null ? null : certificates.ownCertificate(this._handle) ?? {};
  },

  getX509Certificate() {
    return this._handle === null ? undefined : certificates.x509Of(this._handle, false);
  },

  getPeerX509Certificate() {
    return this._handle === null ? undefined : certificates.x509Of(this._handle, true);
  },

  exportKeyingMaterial(length, label, context) {
    validateUint32(length, 'length', true);
    validateString(label, 'label');
    if (context !== undefined) validateBuffer(context, 'context');
    if (!this._secureEstablished) throw failure('ERR_TLS_INVALID_STATE');
    return bufferOf(checked(binding.exported(this._handle, length, Buffer.from(label), context)));
  },
};

function setSession(handle, session) {
  const bytes = typeof session === 'string' ? Buffer.from(session, 'latin1') : session;
  if (!ArrayBufferIsView(bytes)) throw plain(TypeError, 'ERR_INVALID_ARG_TYPE', 'Session must be a buffer');
  binding.setSession(handle, bytes);
  return bytes;
}

// name, the function that answers, and what a closed socket answers
const facts = [
  ['getCipher', binding.cipher, null],
  ['getEphemeralKeyInfo', binding.ephemeral, null],
  ['getFinished', (handle) => bufferOf(binding.finished(handle, false)), null],
  ['getPeerFinished', (handle) => bufferOf(binding.finished(handle, true)), null],
  ['getProtocol', binding.protocol, null],
  ['getSession', (handle) => bufferOf(binding.session(handle)), null],
  ['getSharedSigalgs', binding.sigalgs, null],
  ['getTLSTicket', (handle) => bufferOf(binding.ticket(handle)), null],
  ['isSessionReused', binding.isReused, null],
];
for (const { 0: name, 1: ask, 2: otherwise } of over(facts))
  methods[name] = { [name]() { return this._handle === null ? otherwise : ask(this._handle); } }[name];
Object.assign(TLSSocket.prototype, methods);

module.exports = { TLSSocket };
