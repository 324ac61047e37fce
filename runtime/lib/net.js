'use strict';
// net: sockets and servers.

const { over } = intrinsics;
const { notImplemented, validateBoolean, validateInteger } = require('internal/errors');
const tools = require('internal/tools');
const { Socket } = require('internal/net/socket');
const { Server } = require('internal/net/server');
const { defaults, isIP, normalize } = require('internal/net/util');

function connect(...args) {
  const normalized = normalize(args);
  const socket = new Socket(normalized[0]);
  tools.publish?.('net.client.socket', { socket });
  if (normalized[0].timeout) socket.setTimeout(normalized[0].timeout);
  return socket.connect(normalized);
}

module.exports = {
  _normalizeArgs: normalize,
  Server,
  Socket,
  Stream: Socket,
  connect,
  createConnection: connect,
  createServer: (options, listener) => new Server(options, listener),
  getDefaultAutoSelectFamily: () => defaults.autoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout: () => defaults.attemptTimeout,
  isIP,
  isIPv4: (text) => isIP(text) === 4,
  isIPv6: (text) => isIP(text) === 6,
  setDefaultAutoSelectFamily(value) {
    validateBoolean(value, 'value');
    defaults.autoSelectFamily = value;
  },
  setDefaultAutoSelectFamilyAttemptTimeout(value) {
    validateInteger(value, 'value', 1, 2 ** 31 - 1);
    defaults.attemptTimeout = Math.max(10, value);
  },
};
for (const name of over(['BlockList', 'SocketAddress']))
  Object.defineProperty(module.exports, name, { __proto__: null,
    get() { throw notImplemented(`net.${name}`); },
    enumerable: false,
    configurable: true,
  });
