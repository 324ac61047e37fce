'use strict';
// What sockets and servers share: errors, ports, arguments.

const binding = native('stream');
const uv = native('process');
const { coded, invalidArgType } = require('internal/errors');

const EOF = -4095;

// The Error of a failed call on a socket: "write EPIPE".
function errnoException(err, syscall, detail) {
  const code = uv.errorName(err);
  const error = new Error(`${syscall} ${code}${detail ? ` ${detail}` : ''}`);
  error.errno = err;
  error.code = code;
  error.syscall = syscall;
  return error;
}

// "connect ECONNREFUSED 127.0.0.1:1"
function addressException(err, syscall, address, port, local) {
  let detail = port > 0 ? `${address}:${port}` : address;
  if (local) detail = `${detail ? `${detail} ` : ''}- Local (${local})`;
  const error = errnoException(err, syscall, detail);
  error.address = address;
  if (port) error.port = port;
  return error;
}

// "listen EADDRINUSE: address already in use 127.0.0.1:80"
function listenException(err, syscall, address, port) {
  const code = uv.errorName(err);
  const detail = port > 0 ? `${address}:${port}` : address;
  const error = new Error(`${syscall} ${code}: ${uv.errorText(err)}${detail ? ` ${detail}` : ''}`);
  error.code = code;
  error.errno = err;
  error.syscall = syscall;
  error.address = address;
  if (port) error.port = port;
  return error;
}

function describe(value) {
  try {
    throw invalidArgType('x', 'x', value);
  } catch (error) {
    return error.message.slice(error.message.indexOf(' Received ') + 1);
  }
}

function validatePort(port, name = 'Port', allowZero = true) {
  if ((typeof port !== 'number' && typeof port !== 'string') ||
      (typeof port === 'string' && port.trim().length === 0) ||
      +port !== (+port >>> 0) || port > 0xFFFF || (port === 0 && !allowZero))
    throw coded(RangeError, 'ERR_SOCKET_BAD_PORT',
      `${name} should be ${allowZero ? '>=' : '>'} 0 and < 65536. ${describe(port)}.`);
  return port | 0;
}

const isIP = (text) => text === undefined || text === null ? 0 : binding.isIP(`${text}`);

// listen() and connect() take (options), (port, host, …) or (path, …), each with a
// callback at the end.
function normalize(args) {
  let options = {};
  if (args.length === 0) return [options, null];
  const first = args[0];
  if (first !== null && typeof first === 'object') {
    options = first;
  } else if (typeof first === 'string' && !(Number(first) >= 0)) {
    options.path = first;
  } else {
    options.port = first;
    if (args.length > 1 && typeof args[1] === 'string') options.host = args[1];
  }
  const last = args[args.length - 1];
  return [options, typeof last === 'function' ? last : null];
}

module.exports = {
  EOF, addressException, errnoException, isIP, listenException, normalize, validatePort,
};
