'use strict';
// https.Agent: an http.Agent whose sockets are TLS, and which keeps their sessions, so that the next
// handshake with the same server is a short one.

// own methods: socket
const { arrayIndexOf, arrayPush, arrayShift, arraySplice, over } = intrinsics;
const { Agent: HttpAgent } = require('internal/http/agent');
const { connect } = require('tls');

const MOST_SESSIONS = 100;

function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  Reflect.apply(HttpAgent, this, [options]);
  this.defaultPort = 443;
  this.protocol = 'https:';
  this.maxCachedSessions = this.options.maxCachedSessions === undefined ? MOST_SESSIONS : this.options.maxCachedSessions;
  this._sessionCache = { map: {}, list: [] };
}
Object.setPrototypeOf(Agent.prototype, HttpAgent.prototype);
Object.setPrototypeOf(Agent, HttpAgent);

// createConnection(options), (port, options) or (port, host, options)
function optionsOf(port, host, options) {
  if (port !== null && typeof port === 'object') return port;
  const given = host !== null && typeof host === 'object' ? host : options;
  const all = given !== null && typeof given === 'object' ? { ...given } : {};
  if (typeof port === 'number') all.port = port;
  if (typeof host === 'string') all.host = host;
  return all;
}

// The parts of a name: sockets with the same name may serve the same requests. Their order is fixed,
// and an option that isn't given is an empty one.
const PARTS = [
  ['ca'], ['cert'], ['clientCertEngine'], ['ciphers'], ['key'], ['pfx'], ['rejectUnauthorized', 'defined'], ['servername', 'other'],
  ['minVersion'], ['maxVersion'], ['secureProtocol'], ['crl'], ['honorCipherOrder', 'defined'], ['ecdhCurve'], ['dhparam'],
  ['secureOptions', 'defined'], ['sessionIdContext'], ['sigalgs', 'text'], ['privateKeyIdentifier'], ['privateKeyEngine'],
];

function partOf(options, name, kind) {
  const value = options[name];
  if (kind === 'defined') return value !== undefined ? `${value}` : '';
  if (kind === 'other' && value === options.host) return '';
  return value ? kind === 'text' ? JSON.stringify(value) : `${value}` : '';
}

Object.assign(Agent.prototype, {
  createConnection(port, host, given) {
    const asked = optionsOf(port, host, given);
    const { _agentKey: key } = asked;
    const session = key ? this._getSession(key) : undefined;
    const options = session ? { session, ...asked } : asked;
    const socket = connect(options);
    if (key) {
      socket.on('session', (fresh) => this._cacheSession(key, fresh));
      socket.once('close', (failed) => {
        if (failed) this._evictSession(key);
      });
    }
    return socket;
  },

  getName(options = {}) {
    let name = Reflect.apply(HttpAgent.prototype.getName, this, [options]);
    for (const { 0: part, 1: kind } of over(PARTS)) name += `:${partOf(options, part, kind)}`;
    return name;
  },

  _getSession(key) {
    return this._sessionCache.map[key];
  },

  _cacheSession(key, session) {
    if (this.maxCachedSessions === 0) return;
    const { list, map } = this._sessionCache;
    if (!map[key]) {
      if (list.length >= this.maxCachedSessions) delete map[arrayShift.call(list)];
      arrayPush.call(list, key);
    }
    map[key] = session;
  },

  _evictSession(key) {
    const { list, map } = this._sessionCache;
    const at = arrayIndexOf.call(list, key);
    if (at === -1) return;
    arraySplice.call(list, at, 1);
    delete map[key];
  },
});

module.exports = { Agent };
