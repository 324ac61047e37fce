'use strict';
// libssl, loaded here, and what the parts of tls share: defaults, errors, lists of protocols.

const {
  ArrayBufferIsView, ArrayIsArray, NumberIsInteger, arrayJoin, arrayPush, arraySort, over, stringSplit, stringStartsWith, stringToLowerCase,
} = intrinsics;
const binding = native('tls');
const { Buffer } = require('buffer');
const { coded, invalidArgType, invalidArgValue, notImplemented } = require('internal/errors');

if (binding.problem !== undefined) throw notImplemented(`Module 'tls' (${binding.problem})`);

const failures = {
  ERR_MULTIPLE_CALLBACK: [Error, 'Callback called multiple times'],
  ERR_SOCKET_CLOSED: [Error, 'Socket is closed'],
  ERR_STREAM_WRAP: [Error, 'Stream has StringDecoder set or is in objectMode'],
  ERR_TLS_HANDSHAKE_TIMEOUT: [Error, 'TLS handshake timeout'],
  ERR_TLS_INVALID_CONTEXT: [TypeError, 'context must be a SecureContext'],
  ERR_TLS_INVALID_STATE: [Error, 'TLS socket connection must be securely established'],
  ERR_TLS_PSK_SET_IDENTIY_HINT_FAILED: [Error, 'Failed to set PSK identity hint'],
  ERR_TLS_RENEGOTIATION_DISABLED: [Error, 'TLS session renegotiation disabled for this socket'],
  ERR_TLS_REQUIRED_SERVER_NAME: [Error, '"servername" is required parameter for Server.addContext'],
  ERR_TLS_SESSION_ATTACK: [Error, 'TLS session renegotiation attack detected'],
  ERR_TLS_SNI_FROM_SERVER: [Error, 'Cannot issue SNI from a TLS server-side socket'],
};
// The misspelling is Node's.
const failure = (code) => coded(failures[code][0], code, failures[code][1]);

// A connection that ended too early.
const reset = (message, facts) => Object.assign(new Error(message), { code: 'ECONNRESET' }, facts);

// An Error that native functions return instead of a number is thrown.
function checked(result) {
  if (result instanceof Error) throw result;
  return result;
}

const bufferOf = (bytes) => bytes === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

// Protocols of ALPN as they are sent: each with its length before it.
function encodeProtocols(names) {
  const parts = [];
  for (let i = 0; i < names.length; i++) {
    const bytes = Buffer.from(names[i]);
    if (bytes.length > 255) throw coded(RangeError, 'ERR_OUT_OF_RANGE', `The byte length of the protocol at index ${i} exceeds the maximum length. It must be <= 255. Received ${bytes.length}`);
    arrayPush.call(parts, Buffer.from([bytes.length]), bytes);
  }
  return Buffer.concat(parts);
}

function convertALPNProtocols(protocols, out) {
  if (ArrayIsArray(protocols)) out.ALPNProtocols = encodeProtocols(protocols);
  else if (Buffer.isBuffer(protocols)) out.ALPNProtocols = Buffer.from(protocols);
  else if (ArrayBufferIsView(protocols)) out.ALPNProtocols = Buffer.from(Buffer.from(protocols.buffer, protocols.byteOffset, protocols.byteLength));
}

// Errors of Node's C++ have their code as a property alone; the stack doesn't name it.
const plain = (Base, code, message) => Object.assign(new Base(message), { code });

// The suites of TLS 1.3 have names that begin so.
function splitCiphers(ciphers, name) {
  const lists = { suites: [], others: [] };
  for (const cipher of over(stringSplit.call(ciphers, ':')))
    if (cipher !== '' && !stringStartsWith.call(cipher, '!TLS_')) arrayPush.call(stringStartsWith.call(cipher, 'TLS_') ? lists.suites : lists.others, cipher);
  const suites = arrayJoin.call(lists.suites, ':');
  const others = arrayJoin.call(lists.others, ':');
  if (suites === '' && others === '') throw invalidArgValue(name, ciphers);
  return { suites, others };
}

const VERSIONS = { '__proto__': null, 'TLSv1': 0x301, 'TLSv1.1': 0x302, 'TLSv1.2': 0x303, 'TLSv1.3': 0x304 };

function versionOf(which, given, usual) {
  const name = given ?? usual;
  if (VERSIONS[name] === undefined) throw coded(TypeError, 'ERR_TLS_INVALID_PROTOCOL_VERSION', `${typeof name === 'string' ? JSON.stringify(name) : name} is not a valid ${which} TLS protocol version`);
  return VERSIONS[name];
}

function getCiphers() {
  const names = [];
  for (const name of over(binding.ciphers())) arrayPush.call(names, stringToLowerCase.call(name));
  return arraySort.call(names);
}

// Throws where Node fails by an assertion of its own.
function insist(condition, words) {
  if (!condition) throw coded(Error, 'ERR_INTERNAL_ASSERTION', `${words}${words === '' ? '' : '\n'}This is caused by either a bug in Node.js or incorrect usage of Node.js internals.\n` +
    'Please open an issue with this stack trace at https://github.com/nodejs/node/issues\n');
}

module.exports = { bufferOf, checked, convertALPNProtocols, failure, getCiphers, insist, plain, reset, splitCiphers, versionOf, VERSIONS };
