'use strict';
// http: servers and clients. The parts are in internal/http.

const { over } = intrinsics;
const { METHODS, STATUS_CODES, settings, validateHeaderName, validateHeaderValue } = require('internal/http/words');
const { IncomingMessage } = require('internal/http/incoming');
const { OutgoingMessage } = require('internal/http/outgoing');
const { ServerResponse } = require('internal/http/response');
const { Server, connected } = require('internal/http/server');
const { setMaxIdle } = require('internal/http/parsers');
const { validateInteger } = require('internal/errors');

const { described, wanted } = native('names');
if (described || wanted) require('internal/http/names');

// The client, with its Agent, is loaded when it is first asked for.
const client = () => require('internal/http/request');
const agents = () => require('internal/http/agent').Agent;

function request(url, options, callback) {
  return new (client().ClientRequest)(url, options, callback);
}

function get(url, options, callback) {
  const made = request(url, options, callback);
  made.end();
  return made;
}

module.exports = {
  _connectionListener: connected,
  METHODS,
  STATUS_CODES,
  Agent: undefined,
  ClientRequest: undefined,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  createServer: (options, listener) => new Server(options, listener),
  validateHeaderName,
  validateHeaderValue,
  get,
  request,
  setMaxIdleHTTPParsers(most) {
    validateInteger(most, 'max', 1);
    setMaxIdle(most);
  },
};

function later(name, get, set) {
  Object.defineProperty(module.exports, name, { __proto__: null, configurable: true, enumerable: true, get, set });
}
for (const { 0: name, 1: find } of over([['Agent', agents], ['ClientRequest', () => client().ClientRequest]]))
  later(name, find, (value) => {
    Object.defineProperty(module.exports, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
  });
later('maxHeaderSize', () => settings.maxHeaderSize);
later('globalAgent', () => agents().globalAgent, (value) => {
  agents().globalAgent = value;
});
