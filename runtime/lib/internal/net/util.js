'use strict';
// What sockets and servers share: errors, ports, arguments.

const { NumberIsInteger, arrayAt, arrayFilter, arrayJoin, regexpTest, stringIndexOf, stringSlice, stringTrim } = intrinsics;
const binding = native('stream');
const uv = native('process');
const { coded, invalidArgType } = require('internal/errors');

const EOF = -4095;

// An Error with these properties, in their order.
const failed = (message, facts) => Object.assign(new Error(message), facts);
const spaced = (...words) => arrayJoin.call(arrayFilter.call(words, Boolean), ' ');
const endOf = (address, port) => port > 0 ? `${address}:${port}` : address;
const portFact = (port) => port ? { port } : null;

// The Error of a failed call on a socket: "write EPIPE".
function errnoException(errno, syscall, detail) {
  const code = uv.errorName(errno);
  return failed(detail ? `${syscall} ${code} ${detail}` : `${syscall} ${code}`, { errno, code, syscall });
}

// "connect ECONNREFUSED 127.0.0.1:1"
// local: { localAddress, localPort }, where they are known
function addressException(errno, syscall, address, port, local) {
  const detail = spaced(endOf(address, port), local && `- Local (${local.localAddress}:${local.localPort})`);
  return Object.assign(errnoException(errno, syscall, detail), { address }, portFact(port), local);
}

// "listen EADDRINUSE: address already in use 127.0.0.1:80"
function listenException(errno, syscall, address, port) {
  const code = uv.errorName(errno);
  return failed(spaced(syscall, `${code}:`, uv.errorText(errno), endOf(address, port)),
    { code, errno, syscall, address, ...portFact(port) });
}

function describe(value) {
  try {
    throw invalidArgType('x', 'x', value);
  } catch (error) {
    return stringSlice.call(error.message, stringIndexOf.call(error.message, ' Received ') + 1);
  }
}

// A port is a number, or a numeric text.
function portOf(given) {
  if (typeof given === 'string' && stringTrim.call(given) !== '') return Number(given);
  return typeof given === 'number' ? given : NaN;
}

function validatePort(given, name = 'Port', allowZero = true) {
  const port = portOf(given);
  // As in Node, zero as a text is accepted.
  const least = allowZero || given !== 0 ? 0 : 1;
  if (NumberIsInteger(port) && port >= least && port < 65536) return port | 0;
  throw coded(RangeError, 'ERR_SOCKET_BAD_PORT',
    `${name} should be ${allowZero ? '>=' : '>'} 0 and < 65536. ${describe(given)}.`);
}

// A zone ("%eth0") consists of letters, digits and a few other characters.
function isIP(given) {
  if (given === undefined || given === null) return 0;
  const text = `${given}`;
  const zone = stringIndexOf.call(text, '%');
  return zone !== -1 && !regexpTest(/^[0-9a-zA-Z.:-]+$/, stringSlice.call(text, zone + 1)) ? 0 : binding.isIP(text);
}

const kNormalized = Symbol('normalized');

// listen() and connect() take (options), (port, host, …) or (path, …), each with a
// callback at the end.
function normalize(args) {
  const { 0: first, 1: second } = args;
  const last = arrayAt.call(args, -1);
  return Object.assign([args.length > 0 ? targetOf(first, second) : {}, typeof last === 'function' ? last : null], { [kNormalized]: true });
}

function targetOf(first, second) {
  if (first !== null && typeof first === 'object') return first;
  if (typeof first === 'string' && !(Number(first) >= 0)) return { path: first };
  return typeof second === 'string' ? { port: first, host: second } : { port: first };
}

// How connect() treats several addresses, unless its options say otherwise; after that many ms the
// next address is tried.
const defaults = { autoSelectFamily: true, attemptTimeout: 250 };

module.exports = {
  EOF, defaults, addressException, errnoException, isIP, kNormalized, listenException, normalize, validatePort,
};
