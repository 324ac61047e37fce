'use strict';
// net.Server: listens on a TCP or pipe handle and makes a Socket of each connection.

const binding = native('stream');
const handles = native('handle');
const EventEmitter = require('events');
const { coded, invalidArgType, invalidArgValue, validateAbortSignal } = require('internal/errors');
const { Socket, kKind, kMake, setHooks } = require('internal/net/socket');
const { errnoException, isIP, listenException, normalize, validatePort } = require('internal/net/util');

const EADDRINUSE = -98;
const EINVAL = -22;
const EAFNOSUPPORT = -97;
const IPV6ONLY = 1;

function Server(options, listener) {
  if (!(this instanceof Server)) return new Server(options, listener);
  EventEmitter.call(this);
  if (typeof options === 'function') [options, listener] = [{}, options];
  else if (options != null && typeof options !== 'object')
    throw invalidArgType('options', 'of type object', options);
  options = { ...options };
  if (typeof listener === 'function') this.on('connection', listener);
  this._connections = 0;
  this._handle = null;
  this._listeningId = 1;
  this._unref = false;
  this._pipeName = null;
  this._kind = 'tcp';
  this.allowHalfOpen = Boolean(options.allowHalfOpen);
  this.pauseOnConnect = Boolean(options.pauseOnConnect);
  this.noDelay = Boolean(options.noDelay);
  this.keepAlive = Boolean(options.keepAlive);
  this.keepAliveInitialDelay = options.keepAliveInitialDelay ?? 0;
  this.highWaterMark = options.highWaterMark;
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// A listener that was rejected: its connection goes, the server stays.
Server.prototype[EventEmitter.captureRejectionSymbol] = function (error, event, socket) {
  if (event === 'connection') socket.destroy(error);
  else this.emit('error', error);
};

// --- listening ------------------------------------------------------------------------------

Server.prototype.listen = function (...args) {
  const [options, callback] = normalize(args);
  if (this._handle !== null)
    throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
  if (callback !== null) this.once('listening', callback);
  const backlog = toNumber(args.length > 1 && args[1]) || toNumber(args.length > 2 && args[2]) || options.backlog;
  if (options.signal !== undefined) addSignal(this, options.signal);
  if (typeof options.fd === 'number' && options.fd >= 0) {
    listenDescriptor(this, options.fd, backlog);
    return this;
  }
  // No arguments, or an empty port: any port.
  if (args.length === 0 || typeof args[0] === 'function' ||
      (options.port === undefined && 'port' in options) || options.port === null)
    options.port = 0;
  if (typeof options.port === 'number' || typeof options.port === 'string') {
    const port = validatePort(options.port, 'options.port');
    if (options.host) listenHost(this, port, String(options.host), backlog, options);
    else start(this, () => listenTcp(this, null, port, backlog, options), null, port);
    return this;
  }
  if (options.path) {
    listenPath(this, String(options.path), backlog, options);
    return this;
  }
  if (!('port' in options || 'path' in options))
    throw invalidArgValue('options', options, 'must have the property "port" or "path"');
  throw invalidArgValue('options', options);
};

const toNumber = (value) => (value = Number(value)) >= 0 ? value : false;

function addSignal(server, signal) {
  validateAbortSignal(signal, 'options.signal');
  const abort = () => server.close();
  if (signal.aborted) process.nextTick(abort);
  else {
    signal.addEventListener('abort', abort, { once: true });
    server.once('close', () => signal.removeEventListener('abort', abort));
  }
}

// Runs what opens the handle; its error or 'listening' comes in a tick.
function start(server, open, address, port) {
  const err = open();
  if (err < 0) {
    if (server._handle !== null) {
      handles.close(server._handle);
      server._handle = null;
    }
    process.nextTick(() => server.emit('error', listenException(err, 'listen', address ?? server._tried, port)));
    return;
  }
  if (server._unref) server.unref();
  process.nextTick(() => {
    // It may have been closed meanwhile.
    if (server._handle !== null) server.emit('listening');
  });
}

function listenHost(server, port, host, backlog, options) {
  const listening = server._listeningId;
  require('dns').lookup(host, (error, address) => {
    if (listening !== server._listeningId) return; // closed meanwhile
    if (error) server.emit('error', error);
    else start(server, () => listenTcp(server, address || null, port, backlog, options), address, port);
  });
}

function openTcp(server, address, port, flags) {
  server._handle = binding.tcp(server);
  server._kind = 'tcp';
  server._tried = address;
  return binding.bind(server._handle, address, port, flags);
}

function listenTcp(server, host, port, backlog = 511, options = {}) {
  let err;
  if (host === null) {
    // Any address: IPv6's takes both kinds, where there is IPv6.
    err = openTcp(server, '::', port, options.ipv6Only ? IPV6ONLY : 0);
    if (err === EINVAL || err === EAFNOSUPPORT || (err < 0 && err !== EADDRINUSE)) {
      handles.close(server._handle);
      err = openTcp(server, '0.0.0.0', port, 0);
    }
  } else {
    err = openTcp(server, host, port, options.ipv6Only && isIP(host) === 6 ? IPV6ONLY : 0);
  }
  return err < 0 ? err : binding.listen(server._handle, backlog);
}

function listenPath(server, path, backlog = 511, options) {
  server._kind = 'pipe';
  server._pipeName = path;
  start(server, () => {
    server._handle = binding.pipe(server, false);
    let err = binding.pipeBind(server._handle, path);
    if (err < 0) return err;
    err = binding.listen(server._handle, backlog);
    const mode = (options.readableAll ? 1 : 0) | (options.writableAll ? 2 : 0);
    if (err === 0 && mode !== 0) err = binding.pipeChmod(server._handle, mode);
    return err;
  }, path, -1);
}

function listenDescriptor(server, fd, backlog = 511) {
  start(server, () => {
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
      const token = kind === 'pipe' ? binding.pipe(made, false) : binding.tcp(made);
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

Server.prototype.getConnections = function (callback) {
  process.nextTick(callback, null, this._connections);
  return this;
};

// --- the end ------------------------------------------------------------------------------------------

Server.prototype.close = function (callback) {
  this._listeningId++;
  if (typeof callback === 'function') {
    if (this._handle === null)
      this.once('close', () => callback(coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')));
    else
      this.once('close', callback);
  }
  if (this._handle !== null) {
    handles.close(this._handle);
    this._handle = null;
  }
  this._emitCloseIfDrained();
  return this;
};

Server.prototype._emitCloseIfDrained = function () {
  if (this._handle !== null || this._connections > 0) return;
  process.nextTick(() => this.emit('close'));
};

if (Symbol.asyncDispose)
  Server.prototype[Symbol.asyncDispose] = function () {
    return new Promise((resolve) => this._handle === null ? resolve() : this.close(() => resolve()));
  };

Server.prototype.address = function () {
  if (this._handle === null) return null;
  if (this._kind === 'pipe') return this._pipeName;
  const name = binding.sockName(this._handle);
  if (typeof name === 'number') throw errnoException(name, 'address');
  return name;
};

Object.defineProperty(Server.prototype, 'listening', {
  get() { return this._handle !== null; },
  configurable: true,
  enumerable: true,
});

Server.prototype.ref = function () {
  this._unref = false;
  if (this._handle !== null) handles.ref(this._handle);
  return this;
};

Server.prototype.unref = function () {
  this._unref = true;
  if (this._handle !== null) handles.unref(this._handle);
  return this;
};

module.exports = { Server };
