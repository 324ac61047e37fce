'use strict';
// socket.connect(): resolving the name, trying the addresses, reporting the result.

// own methods: binding
const { ArrayIsArray, arrayFilter, arrayIncludes, arrayPush, over } = intrinsics;
const binding = native('stream');
const handles = native('handle');
const timers = require('timers');
const tools = require('internal/tools');
const {
  checkFields, coded, invalidAddress, invalidArgType, validateBoolean, validateInteger, validateNumber, validateString,
} = require('internal/errors');
const { kBytesRead, kBytesWritten, kKind, kReopen, refreshTimer, setHooks } = require('internal/net/socket');
const { addressException, defaults, isIP, kNormalized, normalize, validatePort } = require('internal/net/util');

const ECANCELED = -125;
const ETIMEDOUT = -110;

function connect(socket, args) {
  const { 0: options, 1: callback } = args[0]?.[kNormalized] ? args[0] : normalize(args);
  if (options.port === undefined && options.path == null)
    throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
  if (socket.destroyed) reset(socket);
  if (options.path) validateString(options.path, 'options.path');
  const pipe = Boolean(options.path);
  if (socket._handle === null) {
    socket[kKind] = pipe ? 'pipe' : 'tcp';
    socket._handle = pipe ? binding.pipe(socket, false) : binding.tcp(socket);
  }
  if (callback !== null) socket.once('connect', callback);
  socket.connecting = true;
  refreshTimer(socket);
  if (pipe) {
    socket._host = null;
    attempt(socket, { path: options.path, settle });
  } else {
    connectTcp(socket, options);
  }
  return socket;
}

// A socket that was closed may be connected again.
function reset(socket) {
  socket._undestroy();
  delete socket.write;
  socket._handle = null;
  socket._peername = null;
  socket._sockname = null;
  socket[kBytesRead] = socket[kBytesWritten] = 0;
}

// The route of a TCP socket: { host, port, local }.
function routeOf(options) {
  const { host, port, localAddress, localPort } = options;
  if (localAddress && !isIP(localAddress)) throw invalidAddress(localAddress);
  if (localPort) validateNumber(localPort, 'options.localPort');
  if (!arrayIncludes.call(['number', 'string'], typeof port))
    throw invalidArgType('options.port', 'one of type number or string', port);
  const route = { host: host || 'localhost', port: validatePort(port), local: { localAddress, localPort } };
  checkFields(options, 'options', TRIALS, isGiven);
  return route;
}

const isGiven = (value) => value !== undefined && value !== null;
const TRIALS = {
  __proto__: null,
  autoSelectFamily: validateBoolean,
  autoSelectFamilyAttemptTimeout: (value, name) => validateInteger(value, name, 1, 2 ** 31 - 1),
};

function connectTcp(socket, options) {
  const route = routeOf(options);
  if (!isIP(route.host)) {
    connectByName(socket, route, options);
    return;
  }
  process.nextTick(() => {
    if (socket.connecting) attempt(socket, { address: route.host, port: route.port, settle, ...route.local });
  });
}

function connectByName(socket, { host, port, local }, options) {
  const { family: wanted = 0, hints, lookup } = options;
  const autoSelectFamily = options.autoSelectFamily ?? defaults.autoSelectFamily;
  const limit = Math.max(10, options.autoSelectFamilyAttemptTimeout ?? defaults.attemptTimeout);
  if (lookup !== undefined && typeof lookup !== 'function')
    throw invalidArgType('options.lookup', 'of type function', lookup);
  if (typeof host !== 'string') throw invalidArgType('hostname', 'of type string', host);
  socket._host = host;
  const all = autoSelectFamily && wanted !== 4 && wanted !== 6 && !local.localAddress;
  const ask = lookup ?? require('dns').lookup;
  const asked = { family: options.family, hints: hints ?? 0 };
  if (all) asked.all = true;
  const answer = (error, found, family) => {
    const list = all ? found : [{ address: found, family }];
    const reported = !error && ArrayIsArray(list) ? list : [{ address: found, family }];
    for (const item of over(reported)) socket.emit('lookup', error, item.address, item.family, host);
    if (!socket.connecting) return;
    if (error) {
      process.nextTick(() => socket.destroy(error));
      return;
    }
    const wrong = wrongAnswer(list, host, port);
    if (wrong !== undefined) {
      process.nextTick(() => socket.destroy(wrong));
      return;
    }
    refreshTimer(socket);
    if (list.length > 1) tryAll(socket, alternate(list), port, limit);
    else attempt(socket, { address: list[0].address, port, settle, ...local });
  };
  if (tools.contexts === undefined) ask(host, asked, answer);
  else tools.contexts.causedBy(socket, () => ask(host, asked, answer));
}

// What is wrong with the result of a lookup, which may be the program's function.
function wrongAnswer(list, host, port) {
  for (let i = 0; i < list.length; i++) {
    const { address, family } = list[i];
    if (!isIP(address)) return invalidAddress(address);
    if (family !== 4 && family !== 6 && family !== 'IPv4' && family !== 'IPv6')
      return Object.assign(coded(RangeError, 'ERR_INVALID_ADDRESS_FAMILY', `Invalid address family: ${family} ${host}:${port}`), { host, port });
  }
  return undefined;
}

// Starts one attempt; settle(socket, status, request) is called at its end.
function attempt(socket, request) {
  let err = 0;
  const { address, port, path } = request;
  if (path !== undefined) {
    err = binding.pipeConnect(socket._handle, path, request);
  } else {
    if (request.localAddress || request.localPort)
      err = binding.bind(socket._handle, request.localAddress ?? (isIP(address) === 6 ? '::' : '0.0.0.0'), request.localPort ?? 0, 0);
    if (err === 0) err = binding.connect(socket._handle, address, port, request);
  }
  if (err < 0) socket.destroy(addressException(err, 'connect', path ?? address, port, localOf(socket)));
}

function localOf(socket) {
  const { address, port } = socket._getsockname();
  return address !== undefined && port ? { localAddress: address, localPort: port } : undefined;
}

function settle(socket, status, request) {
  if (socket.destroyed || socket._handle === null) return;
  socket.connecting = false;
  socket._sockname = null;
  if (status < 0) {
    const { localAddress, localPort } = request;
    const local = localAddress && localPort ? { localAddress, localPort } : undefined;
    socket.destroy(addressException(status, 'connect', request.path ?? request.address, request.port, local));
    return;
  }
  refreshTimer(socket);
  socket._applySettings();
  socket.emit('connect');
  socket.emit('ready');
  // Reading starts automatically, so that the end of the other side is noticed.
  if (socket.readable && !socket.isPaused()) socket.read(0);
}

// --- several addresses, one after the other ---------------------------------------------------

function alternate(list) {
  const first = arrayFilter.call(list, (item) => item.family === list[0].family);
  const second = arrayFilter.call(list, (item) => item.family !== list[0].family);
  const mixed = [];
  for (let i = 0; i < Math.max(first.length, second.length); i++) {
    if (first[i]) arrayPush.call(mixed, first[i]);
    if (second[i]) arrayPush.call(mixed, second[i]);
  }
  return mixed;
}

function tryAll(socket, list, port, limit) {
  const errors = [];
  let at = 0;
  let timer;
  const next = () => {
    const { address, family } = list[at++];
    let done = false;
    const finish = (owner, status) => {
      if (done) return;
      done = true;
      timers.clearTimeout(timer);
      if (owner.destroyed || owner._handle === null) return;
      if (status === 0) {
        settle(owner, 0, { address, port });
        return;
      }
      const error = addressException(status, 'connect', address, port);
      owner.emit('connectionAttemptFailed', address, port, family, error);
      arrayPush.call(errors, error);
      if (at === list.length) {
        owner.connecting = false;
        owner.destroy(errors.length === 1 ? error : aggregate(errors));
        return;
      }
      handles.close(owner._handle);
      owner._handle = binding.tcp(owner);
      owner[kReopen]?.();
      next();
    };
    socket.autoSelectFamilyAttemptedAddresses ??= [];
    socket.autoSelectFamilyAttemptedAddresses[at - 1] = `${address}:${port}`;
    socket.emit('connectionAttempt', address, port, family);
    const err = binding.connect(socket._handle, address, port, { settle: finish });
    if (err < 0) process.nextTick(finish, socket, err);
    if (at < list.length) timer = timers.setTimeout(() => finish(socket, ETIMEDOUT), limit);
  };
  next();
}

function aggregate(errors) {
  const error = new AggregateError(over(errors));
  error.code = errors[0].code;
  return error;
}

setHooks(undefined, (socket, status, request) => {
  if (status !== ECANCELED) request.settle(socket, status, request);
});

module.exports = { connect };
