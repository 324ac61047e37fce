'use strict';
// tls: encrypted sockets and their servers.

const binding = native('tls');
const { over } = intrinsics;
const { convertALPNProtocols, getCiphers } = require('internal/tls/library');
const { checkServerIdentity } = require('internal/tls/identity');
const { SecureContext, createSecureContext } = require('internal/tls/context');

const DEFAULT_CIPHERS = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256:' +
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256:' +
  'ECDHE-RSA-AES128-SHA256:DHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA384:DHE-RSA-AES256-SHA384:ECDHE-RSA-AES256-SHA256:' +
  'DHE-RSA-AES256-SHA256:HIGH:!aNULL:!eNULL:!EXPORT:!DES:!RC4:!MD5:!PSK:!SRP:!CAMELLIA';

let roots;

module.exports = {
  CLIENT_RENEG_LIMIT: 3,
  CLIENT_RENEG_WINDOW: 600,
  DEFAULT_CIPHERS,
  DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
  getCiphers,
  convertALPNProtocols,
  checkServerIdentity,
  createSecureContext,
  SecureContext,
};
Object.defineProperty(module.exports, 'rootCertificates', { __proto__: null,
  get: () => roots ??= Object.freeze(binding.roots()),
  configurable: false,
  enumerable: true,
});
const { TLSSocket } = require('internal/tls/socket');
const { Server } = require('internal/tls/server');
const { connect } = require('internal/tls/connect');
Object.assign(module.exports, {
  TLSSocket,
  Server,
  createServer(options, secureConnectionListener) {
    return new Server(options, secureConnectionListener);
  },
  connect,
  createSecurePair(...args) {
    return require('internal/tls/pair').createSecurePair(...over(args));
  },
});
