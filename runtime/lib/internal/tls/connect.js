'use strict';
// tls.connect(): a client's socket, and whether it trusts the other side.

// own methods: socket
const { ArrayIsArray, arrayAt, over } = intrinsics;
const binding = native('tls');
const { coded } = require('internal/errors');
const { isIP } = require('internal/net/util');
const { peerX509 } = require('internal/tls/certificate');
const { checkServerIdentity, isNamed } = require('internal/tls/identity');
const { insist, reset } = require('internal/tls/library');
const { kPending, kVerified } = require('internal/tls/events');
const { TLSSocket } = require('internal/tls/socket');

const kOptions = Symbol('connect-options');

// connect(options), (port, …) or (path, …), each with more options and a callback after it.
function normalize(args) {
  const { 0: first, 1: second, 2: third } = args;
  const options = {};
  if (first !== null && typeof first === 'object') Object.assign(options, first);
  else if (typeof first === 'string' && !(Number(first) >= 0)) options.path = first;
  else options.port = first;
  // As net has it: the target is either all options or none.
  if (typeof second === 'string' && (first === null || typeof first !== 'object')) options.host = second;
  const more = typeof second === 'object' && second !== null ? second : third;
  if (first === null || typeof first !== 'object' || second !== first) Object.assign(options, typeof more === 'object' ? more : undefined);
  const last = arrayAt.call(args, -1);
  return { options, callback: typeof last === 'function' ? last : undefined };
}

let warned = false;
let warnedOfAddress = false;

function trustsAll() {
  const all = process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0';
  if (all && !warned) {
    warned = true;
    process.emitWarning('Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to \'0\' makes TLS connections and HTTPS requests insecure by disabling certificate verification.');
  }
  return all;
}

// --- whom to trust -------------------------------------------------------------------------------

const nameOf = (options) => options.servername || options.host || (options.socket && options.socket._host) || 'localhost';

// Why the other side isn't to be trusted, or undefined. A session that goes on was trusted before.
function distrust(socket, options) {
  const found = binding.verifyError(socket._handle);
  if (found !== null) return Object.assign(new Error(found[1]), { code: found[0] });
  if (socket.isSessionReused()) return undefined;
  // Node's own check needs two names of the certificate; an object of all that is in it takes longer
  // than the rest of the handshake in JavaScript.
  if (options.checkServerIdentity === checkServerIdentity) {
    const certificate = peerX509(socket._handle);
    if (certificate !== undefined && isNamed(nameOf(options), certificate)) return undefined;
  }
  return options.checkServerIdentity(nameOf(options), socket.getPeerCertificate(true));
}

function onSecure() {
  const options = this[kOptions];
  const { size, type } = this.getEphemeralKeyInfo();
  if (type === 'DH' && size < options.minDHSize) {
    this.destroy(coded(Error, 'ERR_TLS_DH_PARAM_SIZE', `DH parameter size ${size} is less than ${options.minDHSize}`));
    return;
  }
  const error = distrust(this, options);
  if (error) {
    this.authorized = false;
    this.authorizationError = error.code || error.message;
    if (options.rejectUnauthorized !== false) {
      this.destroy(error);
      return;
    }
  } else {
    this.authorized = true;
  }
  this.secureConnecting = false;
  this.emit('secureConnect');
  this[kVerified] = true;
  const session = this[kPending];
  this[kPending] = null;
  if (session) this.emit('session', session);
  this.removeListener('end', onEarlyEnd);
}

function onEarlyEnd() {
  if (this._hadError) return;
  const { host, localAddress, path, port } = this[kOptions];
  this._hadError = true;
  this.destroy(reset('Client network socket disconnected before secure TLS connection was established', { path, host, port, localAddress }));
}

function setName(socket, name) {
  if (!warnedOfAddress && isIP(name)) {
    warnedOfAddress = true;
    process.emitWarning('Setting the TLS ServerName to an IP address is not permitted by RFC 6066. This will be ignored in a future version.', 'DeprecationWarning', 'DEP0123');
  }
  socket.setServername(name);
}

function connect(...args) {
  const { options: given, callback } = normalize(args);
  const tls = require('tls');
  const options = { rejectUnauthorized: !trustsAll(), ciphers: tls.DEFAULT_CIPHERS, checkServerIdentity: tls.checkServerIdentity, minDHSize: 1024, ...given };
  if (!options.keepAlive) options.singleUse = true;
  const { minDHSize } = options;
  insist(typeof options.checkServerIdentity === 'function', '');
  insist(typeof minDHSize === 'number', `options.minDHSize is not a number: ${minDHSize}`);
  insist(minDHSize > 0, `options.minDHSize is not a positive number: ${minDHSize}`);
  options.rejectUnauthorized = options.rejectUnauthorized !== false;
  const { ALPNProtocols, enableTrace, highWaterMark, onread, path, pskCallback, rejectUnauthorized, requestOCSP, session, signal } = options;
  const socket = new TLSSocket(options.socket, {
    allowHalfOpen: Boolean(options.socket ? options.socket.allowHalfOpen : options.allowHalfOpen),
    pipe: Boolean(path),
    secureContext: options.secureContext || tls.createSecureContext(options),
    isServer: false,
    requestCert: true,
    ALPNProtocols, enableTrace, highWaterMark, onread, pskCallback, rejectUnauthorized, requestOCSP, session, signal,
  });
  socket[kOptions] = options;
  if (callback !== undefined) socket.once('secureConnect', callback);
  if (!options.socket) {
    if (options.timeout) socket.setTimeout(options.timeout);
    // Its signal may have been aborted before.
    if (!socket.destroyed) socket.connect(options, socket._start);
  }
  socket._releaseControl();
  if (session) socket.setSession(session);
  if (options.servername) setName(socket, options.servername);
  if (options.socket) socket._start();
  socket.on('secure', onSecure);
  socket.prependListener('end', onEarlyEnd);
  return socket;
}

module.exports = { connect };
