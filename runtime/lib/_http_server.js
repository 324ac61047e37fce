'use strict';
// An older name of a part of http.
const { STATUS_CODES } = require('internal/http/words');
const { ServerResponse } = require('internal/http/response');
const server = require('internal/http/server');
module.exports = {
  STATUS_CODES, Server: server.Server, ServerResponse, setupConnectionsTracking: server.watch, storeHTTPOptions: server.setUp,
  _connectionListener: server.connected, kServerResponse: server.kResponse, httpServerPreClose: server.beforeClose,
  kConnectionsCheckingInterval: server.kChecking,
};
