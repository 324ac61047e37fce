'use strict';
// http.Agent: opens sockets for requests, keeps those that are done with for the next request to the
// same place, and makes requests wait beyond a number of sockets.

const {
  arrayIncludes, arrayIndexOf, arrayPop, arrayPush, arrayShift, arraySplice, over, regexpExec, stringIndexOf, stringSlice,
  stringSplit, stringStartsWith, NumberParseInt,
} = intrinsics;
const EventEmitter = require('events');
const tools = require('internal/tools');
const net = require('net');
const { validateNumber, validateOneOf, validateString } = require('internal/errors');

const kContext = Symbol('async context'); // of a request that waits for a socket
const kOptions = Symbol('requestOptions'); // of a request that waits
const kKeylog = Symbol('onkeylog');

// A server's announced time-out is cut by that much, so that a request doesn't meet its end.
const HINT_MARGIN = 1000;

function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  Reflect.apply(EventEmitter, this, []);
  this.defaultPort = 80;
  this.protocol = 'http:';
  const given = this.options = { __proto__: null, ...options };
  if (given.noDelay === undefined) given.noDelay = true;
  given.path = null; // a request's path isn't that of a socket
  // How many sockets, and which.
  this.maxTotalSockets = given.maxTotalSockets;
  this.maxSockets = given.maxSockets || Agent.defaultMaxSockets;
  this.maxFreeSockets = given.maxFreeSockets || 256;
  this.scheduling = given.scheduling || 'lifo';
  this.keepAlive = given.keepAlive || false;
  this.keepAliveMsecs = given.keepAliveMsecs || 1000;
  // Requests that wait, sockets in use and sockets that are kept, by name.
  this.totalSocketCount = 0;
  for (const table of over(['requests', 'sockets', 'freeSockets'])) this[table] = { __proto__: null };
  validateOneOf(this.scheduling, 'scheduling', ['fifo', 'lifo']);
  if (this.maxTotalSockets === undefined) {
    this.maxTotalSockets = Infinity;
  } else {
    validateNumber(this.maxTotalSockets, 'maxTotalSockets');
    if (!(this.maxTotalSockets >= 1)) throw require('internal/errors').outOfRange('maxTotalSockets', '>= 1', this.maxTotalSockets);
  }
  this.on('free', freed);
  this.on('newListener', keylogWanted);
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);

Agent.defaultMaxSockets = Infinity;

// --- lists by name ------------------------------------------------------------------------------------

function addTo(table, name, item) {
  arrayPush.call(table[name] ??= [], item);
}

function takeFrom(table, name, item) {
  const list = table[name];
  const at = list === undefined ? -1 : arrayIndexOf.call(list, item);
  if (at === -1) return;
  arraySplice.call(list, at, 1);
  if (list.length === 0) delete table[name];
}

const lengthOf = (table, name) => table[name]?.length ?? 0;

// --- sockets that become free -----------------------------------------------------------------------

function freed(socket, options) {
  const name = this.getName(options);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const waiting = this.requests[name];
  if (waiting && waiting.length > 0) {
    const request = arrayShift.call(waiting);
    if (waiting.length === 0) delete this.requests[name];
    const context = request[kContext];
    if (context === undefined) give(this, request, socket);
    else tools.contexts.within(context, give, this, request, socket);
    return;
  }
  const request = socket._httpMessage;
  if (!request || !request.shouldKeepAlive || !this.keepAlive || !mayKeep(this, name, socket)) {
    socket.destroy();
    return;
  }
  const list = this.freeSockets[name] ??= [];
  socket._httpMessage = null;
  this.removeSocket(socket, options);
  socket.once('error', freeSocketFailed);
  arrayPush.call(list, socket);
}

function mayKeep(agent, name, socket) {
  const free = lengthOf(agent.freeSockets, name);
  const isFull = agent.totalSocketCount > agent.maxTotalSockets || free + lengthOf(agent.sockets, name) > agent.maxSockets ||
    free >= agent.maxFreeSockets;
  return !isFull && agent.keepSocketAlive(socket);
}

function freeSocketFailed() {
  this.destroy();
  this.emit('agentRemove');
}

function keylogWanted(event) {
  if (event !== 'keylog' || this[kKeylog]) return;
  const agent = this;
  this[kKeylog] = function (line) {
    agent.emit('keylog', line, this);
  };
  for (const list of over(Object.values(this.sockets))) for (const socket of over(list)) socket.on('keylog', this[kKeylog]);
}

function give(agent, request, socket) {
  request.onSocket(socket);
  const timeout = agent.options.timeout || 0;
  if (request.timeout !== undefined && request.timeout !== timeout) socket.setTimeout(request.timeout);
}

// --- new sockets ----------------------------------------------------------------------------------------

// The name for TLS: that of the Host header, if the request has one, and no address.
function serverName(options, request) {
  let name = options.host;
  const header = request.getHeader('host');
  if (header) {
    validateString(header, 'options.headers.host');
    const end = stringStartsWith.call(header, '[') ? stringIndexOf.call(header, ']') : 0;
    name = end > 0 ? stringSlice.call(header, 1, end) : end < 0 ? header : stringSplit.call(header, ':', 1)[0];
  }
  return net.isIP(name) ? '' : name;
}

function complete(agent, options, request) {
  const all = { __proto__: null, ...options, ...agent.options };
  if (all.socketPath) all.path = all.socketPath;
  if (!all.servername && all.servername !== '') all.servername = serverName(all, request);
  return all;
}

// The agent hears of what becomes of the socket.
function watch(agent, socket, options) {
  const listeners = {
    free: () => agent.emit('free', socket, options),
    close() {
      agent.totalSocketCount--;
      agent.removeSocket(socket, options);
    },
    timeout() {
      for (const list of over(Object.values(agent.freeSockets)))
        if (arrayIncludes.call(list, socket)) {
          socket.destroy();
          return;
        }
    },
    // A socket that isn't for requests any more.
    agentRemove() {
      agent.totalSocketCount--;
      agent.removeSocket(socket, options);
      for (const event in listeners) socket.removeListener(event, listeners[event]);
    },
  };
  for (const event in listeners) socket.on(event, listeners[event]);
  if (agent[kKeylog]) socket.on('keylog', agent[kKeylog]);
}

Object.assign(Agent.prototype, {
  createConnection: net.createConnection,

  getName(options = {}) {
    let name = `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}`;
    if (options.family === 4 || options.family === 6) name += `:${options.family}`;
    if (options.socketPath) name += `:${options.socketPath}`;
    return name;
  },

  addRequest(request, given, port, localAddress) {
    const options = complete(this, typeof given === 'string' ? { host: given, port, localAddress } : given, request);
    const name = this.getName(options);
    this.sockets[name] ??= [];
    const socket = takeFree(this, name);
    const count = lengthOf(this.freeSockets, name) + this.sockets[name].length;
    if (socket) {
      this.reuseSocket(socket, request);
      give(this, request, socket);
      arrayPush.call(this.sockets[name], socket);
    } else if (count < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, made) => {
        if (error) request.onSocket(made, error);
        else give(this, request, made);
      });
    } else {
      request[kOptions] = options;
      if (tools.contexts !== undefined) request[kContext] = tools.contexts.begin('QueuedRequest', {});
      addTo(this.requests, name, request);
    }
  },

  createSocket(request, given, callback) {
    const options = complete(this, given, request);
    const name = this.getName(options);
    options._agentKey = name;
    options.encoding = null;
    let isAnswered = false;
    const answer = (error, socket) => {
      if (isAnswered) return;
      isAnswered = true;
      if (error) {
        callback(error);
        return;
      }
      addTo(this.sockets, name, socket);
      this.totalSocketCount++;
      watch(this, socket, options);
      callback(null, socket);
    };
    if (this.keepAlive) {
      options.keepAlive = this.keepAlive;
      options.keepAliveInitialDelay = this.keepAliveMsecs;
    }
    const socket = this.createConnection(options, answer);
    if (socket) answer(null, socket);
  },

  removeSocket(socket, options) {
    const name = this.getName(options);
    takeFrom(this.sockets, name, socket);
    if (!socket.writable) takeFrom(this.freeSockets, name, socket);
    const next = nextWaiting(this, name);
    if (next === undefined) return;
    const wanted = name in this.requests ? options : next[kOptions];
    if (!wanted) return;
    next[kOptions] = undefined;
    this.createSocket(next, wanted, (error, made) => {
      if (error) next.onSocket(null, error);
      else made.emit('free');
    });
  },

  keepSocketAlive(socket) {
    socket.setKeepAlive(true, this.keepAliveMsecs);
    socket.unref();
    let timeout = this.options.timeout || 0;
    const hint = regexpExec.call(/^timeout=(\d+)/, socket._httpMessage?.res?.headers['keep-alive'] ?? '')?.[1];
    if (hint) {
      const ms = NumberParseInt(hint) * 1000 - HINT_MARGIN;
      if (ms <= 0) return false;
      if (!timeout || ms < timeout) timeout = ms;
    }
    if (socket.timeout !== timeout) socket.setTimeout(timeout);
    return true;
  },

  reuseSocket(socket, request) {
    socket.removeListener('error', freeSocketFailed);
    request.reusedSocket = true;
    socket.ref();
  },

  destroy() {
    for (const table of over([this.freeSockets, this.sockets]))
      for (const list of over(Object.values(table)))
        for (const socket of over([...over(list)])) socket.destroy();
  },
});

function takeFree(agent, name) {
  const list = agent.freeSockets[name];
  if (list === undefined) return undefined;
  while (list.length > 0 && list[0].destroyed) arrayShift.call(list);
  const socket = agent.scheduling === 'fifo' ? arrayShift.call(list) : arrayPop.call(list);
  if (list.length === 0) delete agent.freeSockets[name];
  return socket;
}

// The request to which a freed place goes: the first for the same target, or for another one that
// has no sockets.
function nextWaiting(agent, name) {
  if (lengthOf(agent.requests, name) > 0) return agent.requests[name][0];
  for (const other of over(Object.keys(agent.requests))) {
    if (lengthOf(agent.sockets, other) > 0) return undefined;
    return agent.requests[other][0];
  }
  return undefined;
}

Agent.globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });

module.exports = { Agent };
