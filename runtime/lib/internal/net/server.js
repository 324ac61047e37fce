'use strict';
// net.Server: listens on a TCP or pipe handle and makes a Socket of each connection.

// own methods: binding
const { arrayFind, arrayIncludes, arrayMap, arraySlice, over } = intrinsics;
const binding = native('stream');
const handles = native('handle');
const EventEmitter = require('events');
const tools = require('internal/tools');
const {
  checkFields, coded, invalidArgType, invalidArgValue, validateAbortSignal, validateNumber, validateString,
} = require('internal/errors');
const { Socket, kKind, kLeave, kMake, setHooks } = require('internal/net/socket');
const { errnoException, isIP, listenException, normalize, validatePort } = require('internal/net/util');

const EADDRINUSE = -98;
const EINVAL = -22;
const EAFNOSUPPORT = -97;
const IPV6ONLY = 1;
const BACKLOG = 511;

const NUMBERS = { __proto__: null, keepAliveInitialDelay: validateNumber, highWaterMark: validateNumber };
const SWITCHES = ['allowHalfOpen', 'pauseOnConnect', 'noDelay', 'keepAlive'];

function Server(options, listener) {
  if (this instanceof Server) setUp(this, options, listener);
  else return new Server(options, listener);
}

function setUp(server, given, listener) {
  Reflect.apply(EventEmitter, server, []);
  const alone = typeof given === 'function';
  if (!alone && typeof (given ?? {}) !== 'object') throw invalidArgType('options', 'of type object', given);
  const options = alone ? {} : { ...given };
  const welcome = alone ? given : listener;
  if (typeof welcome === 'function') server.on('connection', welcome);
  server._connections = 0;
  server._handle = null;
  server._listeningId = 1;
  server._unref = false;
  server._pipeName = null;
  server._kind = 'tcp';
  checkFields(options, 'options', NUMBERS);
  for (const name of over(SWITCHES)) server[name] = Boolean(options[name]);
  server.keepAliveInitialDelay = options.keepAliveInitialDelay ?? 0;
  server.highWaterMark = options.highWaterMark;
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// A listener that was rejected: its connection is destroyed, the server stays.
Server.prototype[EventEmitter.captureRejectionSymbol] = function (error, event, socket) {
  if (event === 'connection') socket.destroy(error);
  else this.emit('error', error);
};

// --- listening ------------------------------------------------------------------------------

// The port given, undefined if none is. No arguments, or an empty port: any port.
function portAsked(options, args) {
  const { port } = options;
  if (typeof args[0] === 'function') return 0;
  if (port === undefined || port === null) return args.length === 0 || 'port' in options ? 0 : undefined;
  return arrayIncludes.call(['number', 'string'], typeof port) ? validatePort(port, 'options.port') : undefined;
}

// listen(port[, host][, backlog]), listen(path[, backlog]): the first number after the target.
const backlogOf = (args, options) => arrayFind.call(arrayMap.call(arraySlice.call(args, 1, 3), Number), (value) => value > 0) ?? options.backlog ?? BACKLOG;

function listen(...args) {
  const { 0: options, 1: callback } = normalize(args);
  if (this._handle !== null)
    throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
  if (callback !== null) this.once('listening', callback);
  const backlog = backlogOf(args, options);
  tools.publish?.('tracing:net.server.listen:asyncStart', { server: this, options });
  const { fd, host, path, signal } = options;
  if (signal !== undefined) addSignal(this, signal);
  if (typeof fd === 'number' && fd >= 0) return listenDescriptor(this, fd, backlog);
  const port = portAsked(options, args);
  if (port !== undefined) {
    if (!host) return listenTcp(this, null, port, backlog, options);
    validateString(host, 'hostname');
    return listenHost(this, port, host, backlog, options);
  }
  if (typeof path === 'string' && path !== '' && !(Number(path) >= 0)) return listenPath(this, path, backlog, options);
  throw 'port' in options || 'path' in options ? invalidArgValue('options', options) :
    invalidArgValue('options', options, 'must have the property "port" or "path"');
}

function addSignal(server, signal) {
  validateAbortSignal(signal, 'options.signal');
  const abort = () => server.close();
  if (signal.aborted) process.nextTick(abort);
  else {
    signal.addEventListener('abort', abort, { once: true });
    server.once('close', () => signal.removeEventListener('abort', abort));
  }
}

// Calls `open`, which opens the handle; its error or 'listening' comes in a tick.
function start(server, open, address, port) {
  const err = open();
  if (err < 0) {
    if (server._handle !== null) {
      handles.close(server._handle);
      server._handle = null;
    }
    const error = listenException(err, 'listen', address ?? server._tried, port);
    tools.publish?.('tracing:net.server.listen:error', { server, error });
    process.nextTick(() => server.emit('error', error));
    return server;
  }
  if (server._unref) server.unref();
  server._connectionKey = `${server._kind === 'pipe' ? -1 : isIP(server._tried) || 4}:${server._kind === 'pipe' ? server._pipeName : server._tried}:${port}`;
  const listening = () => {
    // The server may have been closed meanwhile.
    if (server._handle === null) return;
    tools.publish?.('tracing:net.server.listen:asyncEnd', { server });
    server.emit('listening');
  };
  if (tools.contexts === undefined) process.nextTick(listening);
  else tools.contexts.causedBy(server, () => process.nextTick(listening));
  return server;
}

function listenHost(server, port, host, backlog, options) {
  const listening = server._listeningId;
  require('dns').lookup(host, (error, address) => {
    if (listening !== server._listeningId) return; // closed meanwhile
    if (error) server.emit('error', error);
    else listenTcp(server, address || null, port, backlog, options);
  });
  return server;
}

function openTcp(server, address, port, flags) {
  server._handle = binding.tcp(server);
  server._kind = 'tcp';
  server._tried = address;
  return binding.bind(server._handle, address, port, flags);
}

function listenTcp(server, address, port, backlog, options) {
  return start(server, () => bindTcp(server, address, port, options) || binding.listen(server._handle, backlog), address, port);
}

function bindTcp(server, host, port, options) {
  let err;
  if (host === null) {
    // Any address: that of IPv6 accepts both kinds, where there is IPv6.
    err = openTcp(server, '::', port, options.ipv6Only ? IPV6ONLY : 0);
    if (err === EINVAL || err === EAFNOSUPPORT || (err < 0 && err !== EADDRINUSE)) {
      handles.close(server._handle);
      err = openTcp(server, '0.0.0.0', port, 0);
    }
  } else {
    err = openTcp(server, host, port, options.ipv6Only && isIP(host) === 6 ? IPV6ONLY : 0);
  }
  return err;
}

function listenPath(server, path, backlog, options) {
  if (path[0] === '\0' && (options.readableAll || options.writableAll))
    throw invalidArgValue('options', options, 'can not set readableAll or writableAllt to true when path is abstract unix socket');
  server._kind = 'pipe';
  server._pipeName = path;
  return start(server, () => {
    server._handle = binding.pipe(server, false);
    let err = binding.pipeBind(server._handle, path);
    if (err < 0) return err;
    err = binding.listen(server._handle, backlog);
    const mode = (options.readableAll ? 1 : 0) | (options.writableAll ? 2 : 0);
    if (err === 0 && mode !== 0) err = binding.pipeChmod(server._handle, mode);
    return err;
  }, path, -1);
}

function listenDescriptor(server, fd, backlog) {
  return start(server, () => {
    const kind = binding.guess(fd);
    server._kind = kind === 'PIPE' ? 'pipe' : 'tcp';
    if (kind !== 'PIPE' && kind !== 'TCP') return EINVAL;
    server._handle = kind === 'PIPE' ? binding.pipe(server, false) : binding.tcp(server);
    const err = kind === 'PIPE' ? binding.pipeOpen(server._handle, fd) : binding.tcpOpen(server._handle, fd);
    return err < 0 ? err : binding.listen(server._handle, backlog);
  }, null, -1);
}

// --- connections ---------------------------------------------------------------------------------

setHooks((server, status) => {
  if (server._handle === null) return;
  if (status < 0) {
    server.emit('error', errnoException(status, 'accept'));
    return;
  }
  const { _handle: handle, _kind: kind } = server;
  const full = server.maxConnections !== undefined && server._connections >= server.maxConnections;
  let failed = 0;
  const socket = new Socket({
    [kMake](made) {
      const make = () => kind === 'pipe' ? binding.pipe(made, false) : binding.tcp(made);
      const token = tools.contexts === undefined ? make() : tools.contexts.accepted(server, make);
      failed = binding.accept(handle, token);
      return token;
    },
    kind,
    allowHalfOpen: server.allowHalfOpen,
    highWaterMark: server.highWaterMark,
    manualStart: true,
    noDelay: server.noDelay,
    keepAlive: server.keepAlive,
    keepAliveInitialDelay: server.keepAliveInitialDelay,
  });
  if (failed < 0) {
    socket.destroy();
    server.emit('error', errnoException(failed, 'accept'));
    return;
  }
  if (full) {
    drop(server, socket);
    return;
  }
  socket._applySettings();
  if (server.pauseOnConnect) socket.readableFlowing = false;
  else socket.read(0);
  server._connections++;
  socket.server = server;
  socket._server = server;
  server.emit('connection', socket);
  tools.publish?.('net.server.socket', { socket });
}, undefined);

function drop(server, socket) {
  const local = socket._getsockname();
  const remote = socket._getpeername();
  socket.destroy();
  server.emit('drop', socket[kKind] === 'tcp' ? {
    localAddress: local.address, localPort: local.port, localFamily: local.family,
    remoteAddress: remote.address, remotePort: remote.port, remoteFamily: remote.family,
  } : {});
}

// --- the end ------------------------------------------------------------------------------------------

const stopped = (server) => server._handle === null;

function close(callback) {
  this._listeningId++;
  if (typeof callback === 'function')
    this.once('close', stopped(this) ?
      () => callback(coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')) : callback);
  if (!stopped(this)) handles.close(this._handle);
  this._handle = null;
  closeWhenEmpty(this);
  return this;
}

function closeWhenEmpty(server) {
  if (stopped(server) && !(server._connections > 0)) process.nextTick(() => server.emit('close'));
}

function address() {
  if (stopped(this)) return null;
  const name = this._kind === 'pipe' ? this._pipeName : binding.sockName(this._handle);
  if (typeof name === 'number') throw errnoException(name, 'address');
  return name;
}

// --- what a program sees -------------------------------------------------------------------------------

Object.assign(Server.prototype, {
  listen,
  getConnections(callback) {
    process.nextTick(callback, null, this._connections);
    return this;
  },
  close,
  address,
});
for (const name of over(['ref', 'unref']))
  Server.prototype[name] = function () {
    this._unref = name === 'unref';
    if (!stopped(this)) handles[name](this._handle);
    return this;
  };
Object.defineProperty(Server.prototype, 'listening', { __proto__: null,
  enumerable: true,
  configurable: true,
  get() { return !stopped(this); },
});
// Called when one of the connections has ended.
Object.defineProperty(Server.prototype, kLeave, { __proto__: null,
  value() {
    this._connections--;
    closeWhenEmpty(this);
  },
});
Server.prototype[Symbol.asyncDispose] = function () {
  return new Promise((resolve) => stopped(this) ? resolve() : this.close(() => resolve()));
};

module.exports = { Server };
