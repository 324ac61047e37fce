'use strict';
// net: sockets and servers.

const { notImplemented } = require('internal/errors');
const { Socket } = require('internal/net/socket');
const { Server } = require('internal/net/server');
const { isIP, normalize } = require('internal/net/util');

function connect(...args) {
  const normalized = normalize(args);
  const socket = new Socket(normalized[0]);
  if (normalized[0].timeout) socket.setTimeout(normalized[0].timeout);
  return socket.connect(normalized);
}

let autoSelectFamily = true;
let attemptTimeout = 250;

module.exports = {
  _normalizeArgs: normalize,
  Server,
  Socket,
  Stream: Socket,
  connect,
  createConnection: connect,
  createServer: (options, listener) => new Server(options, listener),
  getDefaultAutoSelectFamily: () => autoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout: () => attemptTimeout,
  isIP,
  isIPv4: (text) => isIP(text) === 4,
  isIPv6: (text) => isIP(text) === 6,
  setDefaultAutoSelectFamily(value) { autoSelectFamily = Boolean(value); },
  setDefaultAutoSelectFamilyAttemptTimeout(value) { attemptTimeout = Math.max(10, value); },
};
for (const name of ['BlockList', 'SocketAddress'])
  Object.defineProperty(module.exports, name, {
    get() { throw notImplemented(`net.${name}`); },
    enumerable: false,
    configurable: true,
  });
