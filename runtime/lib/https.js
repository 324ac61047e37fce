'use strict';
// https: servers and clients of http over TLS.

const { over } = intrinsics;

const agent = () => require('internal/https/secure_agent').Agent;
let globalAgent;

function request(...args) {
  const { ClientRequest } = require('internal/http/request');
  const { URL, urlToHttpOptions } = require('url');
  const { 0: first } = args;
  const isAddress = typeof first === 'string' || first instanceof URL || Boolean(first?.href && first.protocol && first.auth === undefined && first.path === undefined);
  const options = isAddress ? urlToHttpOptions(typeof first === 'string' ? new URL(first) : first) : {};
  const { 0: given, 1: listener } = isAddress ? [args[1], args[2]] : args;
  if (typeof given !== 'function') Object.assign(options, given);
  options._defaultAgent = module.exports.globalAgent;
  return new ClientRequest(options, typeof given === 'function' ? given : listener);
}

function get(...args) {
  const made = request(...over(args));
  made.end();
  return made;
}

module.exports = {
  Agent: undefined,
  globalAgent: undefined,
  Server: undefined,
  createServer(options, listener) {
    return new module.exports.Server(options, listener);
  },
  get,
  request,
};

// The two halves are loaded when they are first asked for.
function later(name, find, keep) {
  Object.defineProperty(module.exports, name, { __proto__: null, configurable: true, enumerable: true, get: find, set: keep });
}
later('Agent', agent, (value) => define('Agent', value));
later('Server', () => require('internal/https/secure_server').Server, (value) => define('Server', value));
later('globalAgent', () => globalAgent ??= new (agent())({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }), (value) => {
  globalAgent = value;
});

function define(name, value) {
  Object.defineProperty(module.exports, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
}
