'use strict';
// Events and questions of a connection, from C (js_tls.h).

// own methods: socket, socket.server
const { arrayIndexOf, arrayPush } = intrinsics;
const binding = native('tls');
const { Buffer } = require('buffer');
const { ArrayBufferIsView } = intrinsics;
const { coded, invalidArgType, invalidArgValue, validateBuffer, validateObject, validateString } = require('internal/errors');
const { bufferOf, failure } = require('internal/tls/library');
const { tokenOf } = require('internal/tls/context');

const kDisableRenegotiation = Symbol('disableRenegotiation');
const kFromServer = Symbol('handshakes'); // of a server's socket: when the last began, how many since
const kPending = Symbol('pendingSession');
const kPskCallback = Symbol('pskCallback');
const kVerified = Symbol('verified');
const kPrefix = Symbol('prefix'); // of the next error's message
const kWants = Symbol('wants');
const EPROTO = -71;

// --- news --------------------------------------------------------------------------------------

// A client that begins handshakes again and again gives a server the more work.
function onStart(socket) {
  const counted = socket[kFromServer];
  if (counted === undefined) return;
  const { CLIENT_RENEG_LIMIT, CLIENT_RENEG_WINDOW } = require('tls');
  const now = native('process').hrtime() / 1e6;
  if (now - counted.last >= CLIENT_RENEG_WINDOW * 1000) counted.count = 0;
  const isFirst = counted.last === 0;
  counted.last = now;
  socket._handle.handshakes = counted.count + 1;
  if (isFirst) return;
  if (++counted.count > CLIENT_RENEG_LIMIT) socket._emitTLSError(failure('ERR_TLS_SESSION_ATTACK'));
  else if (socket[kDisableRenegotiation]) socket._emitTLSError(failure('ERR_TLS_RENEGOTIATION_DISABLED'));
}

function onSession(socket, id, session) {
  if (!socket._tlsOptions.isServer) {
    if (socket[kVerified]) socket.emit('session', bufferOf(session));
    else socket[kPending] = bufferOf(session); // its certificate hasn't been looked at yet
    return;
  }
  if (!socket.server) return;
  let isDone = false;
  const done = () => {
    if (isDone) return;
    isDone = true;
    socket._newSessionPending = false;
    if (socket._securePending) socket._finishInit();
    socket._securePending = false;
  };
  socket._newSessionPending = true;
  if (!socket.server.emit('newSession', bufferOf(id), bufferOf(session), done)) done();
}

function onError(socket, message, library, reason, code) {
  if (socket._hadError) return;
  const error = new Error((socket[kPrefix] ?? '') + message);
  if (library !== '') error.library = library;
  if (reason !== '') error.reason = reason;
  if (code !== '') error.code = code;
  fail(socket, error);
}

function fail(socket, error) {
  socket._hadError = true;
  if (socket._tlsOptions.isServer && socket._handle !== null) socket.servername ??= binding.servername(socket._handle);
  const { code } = error;
  if (!socket._secureEstablished) socket.destroy(error);
  else if (socket._tlsOptions.isServer && socket._rejectUnauthorized && code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') socket.destroy();
  else socket._emitTLSError(error);
}

function onWriteFailed(socket, callback, message) {
  callback(Object.assign(new Error(`write EPROTO ${message}`), { errno: EPROTO, code: 'EPROTO', syscall: 'write' }));
}

// --- questions -----------------------------------------------------------------------------------

// An answer that comes once; answer(...) is called with it unless it is an error or too late.
function onceFor(socket, answer) {
  let isAnswered = false;
  return (error, value) => {
    if (isAnswered) {
      socket.destroy(failure('ERR_MULTIPLE_CALLBACK'));
      return;
    }
    isAnswered = true;
    if (error) socket.destroy(error);
    else if (socket._handle === null) socket.destroy(failure('ERR_SOCKET_CLOSED'));
    else answer(value);
  };
}

// Runs steps that end with a call of done(), at once or later. True if at once.
function atOnce(socket, run) {
  let isIn = true;
  let isDone = false;
  run(() => {
    if (isIn) isDone = true;
    else if (socket._handle !== null) binding.resume(socket._handle);
  });
  isIn = false;
  return isDone;
}

function onHello(socket, id, name, hasTicket) {
  return atOnce(socket, (done) => {
    const loaded = onceFor(socket, (session) => {
      if (session) binding.loadSession(socket._handle, session);
      done();
    });
    // Without an id, or with a ticket, the session isn't one of the server's store.
    if (id.byteLength === 0 || hasTicket || !socket.server || !socket.server.emit('resumeSession', bufferOf(id), loaded)) done();
  });
}

function askOCSP(socket, wanted, context, done) {
  const { server } = socket;
  if (!wanted || !server || server.listenerCount('OCSPRequest') === 0) {
    done();
    return;
  }
  const used = context?.context ?? context ?? server._sharedCreds.context;
  server.emit('OCSPRequest', used.getCertificate(), used.getIssuer(), onceFor(socket, (answer) => {
    if (answer) binding.setOCSP(socket._handle, answer);
    done();
  }));
}

function onCertificate(socket, name, wantsOCSP) {
  return atOnce(socket, (done) => {
    if (name) socket.servername = name; // for whoever hears of an error
    if (!name || !socket._SNICallback) {
      askOCSP(socket, wantsOCSP, undefined, done);
      return;
    }
    socket._SNICallback(name, onceFor(socket, (context) => {
      const token = context ? tokenOf(context) : undefined;
      if (context && token === undefined) {
        fail(socket, new TypeError('Invalid SNI context'));
        return;
      }
      // One without a certificate: OpenSSL will refuse, and the reason comes before its own words.
      const wrong = token !== undefined ? binding.setContext(socket._handle, token) : undefined;
      if (wrong instanceof Error) socket[kPrefix] = `${wrong.message}\n`;
      askOCSP(socket, wantsOCSP, context, done);
    }));
  });
}

// An error that the program's function throws ends the socket, and refuses the handshake.
function guarded(socket, refused, run) {
  try {
    return run();
  } catch (error) {
    socket.destroy(error);
    return refused;
  }
}

const REFUSED = -2;

function onALPN(socket, offered) {
  const protocols = [];
  const places = [];
  const bytes = bufferOf(offered);
  for (let at = 0; at < bytes.length; at += bytes[at] + 1) {
    arrayPush.call(protocols, bytes.toString('latin1', at + 1, at + 1 + bytes[at]));
    arrayPush.call(places, at);
  }
  return guarded(socket, REFUSED, () => {
    const selected = socket._ALPNCallback({ servername: binding.servername(socket._handle), protocols });
    if (selected === undefined) return REFUSED;
    const index = arrayIndexOf.call(protocols, selected);
    if (index !== -1) return places[index];
    throw coded(TypeError, 'ERR_TLS_ALPN_CALLBACK_INVALID_RESULT', `ALPN callback returned a value (${selected}) that did not match any of the client's offered protocols (${protocols})`);
  });
}

function checkKey(psk, most) {
  if (psk.byteLength > most) throw invalidArgValue('psk', psk, `Pre-shared key exceeds ${most} bytes`);
}

function onPskServer(socket, identity, most) {
  return guarded(socket, undefined, () => {
    const answer = socket[kPskCallback](socket, identity);
    if (answer === undefined || answer === null) return undefined;
    if (ArrayBufferIsView(answer)) {
      checkKey(answer, most);
      return answer;
    }
    if (typeof answer !== 'object') throw invalidArgType('ret', 'of type object or an instance of Buffer, TypedArray, or DataView', answer);
    validateBuffer(answer.psk, 'psk');
    checkKey(answer.psk, most);
    return answer.psk;
  });
}

function onPskClient(socket, hint, mostIdentity, most) {
  return guarded(socket, undefined, () => {
    const answer = socket[kPskCallback](hint);
    if (answer === undefined || answer === null) return undefined;
    validateObject(answer, 'ret');
    const { identity, psk } = answer;
    validateBuffer(psk, 'psk');
    checkKey(psk, most);
    validateString(identity, 'identity');
    const name = Buffer.from(identity);
    if (name.length > mostIdentity) throw invalidArgValue('identity', identity, `PSK identity exceeds ${mostIdentity} bytes`);
    return [name, psk];
  });
}

const overStream = () => require('internal/tls/over_stream');

// enum tls_call
const calls = [
  onStart,
  (socket) => socket._finishInit(),
  onSession,
  (socket, line) => socket.emit('keylog', bufferOf(line)),
  (socket, answer) => socket.emit('OCSPResponse', answer === null ? null : bufferOf(answer)),
  onError,
  onWriteFailed,
  onHello,
  onCertificate,
  onALPN,
  onPskServer,
  onPskClient,
  (socket, bytes) => overStream().send(socket, bufferOf(bytes)),
  (socket, request) => overStream().shut(socket, request),
  (socket, flows) => overStream().flow(socket, flows),
];
// Named, for recordings.
binding.setCallback(function onTLS(call, socket, one, two, three, four) {
  return calls[call](socket, one, two, three, four);
});

module.exports = { kDisableRenegotiation, kFromServer, kPending, kPskCallback, kVerified, kWants };
