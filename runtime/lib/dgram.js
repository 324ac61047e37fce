'use strict';
// dgram: datagram sockets.

// own methods: binding
const {
  ArrayBufferIsView, ArrayIsArray, arrayFind, arrayIncludes, arrayMap, arrayPush, arraySplice, over,
} = intrinsics;
const binding = native('udp');
const handles = native('handle');
const uv = native('process');
const EventEmitter = require('events');
const tools = require('internal/tools');
const { kUnstoppable } = require('internal/event_target');
const { Buffer } = require('buffer');
const {
  checkFields, coded, invalidArgType, validateAbortSignal, validateFunction, validateNumber, validateString, validateUint32,
} = require('internal/errors');
const { addressException, errnoException, validatePort } = require('internal/net/util');

const IPV6ONLY = 1;
const REUSEADDR = 4;
const UNBOUND = 0;
const BINDING = 1;
const BOUND = 2;
const DISCONNECTED = 0;
const CONNECTING = 1;
const CONNECTED = 2;

const notRunning = () => coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running');

binding.setCallbacks(
  (socket, count, bytes, from) => {
    if (socket._handle === null) return;
    if (count < 0) {
      socket.emit('error', errnoException(count, 'recvmsg'));
      return;
    }
    from.size = count;
    socket.emit('message', Buffer.from(bytes.buffer, 0, count), from);
  },
  (socket, status, request) => {
    if (request.callback === undefined) return;
    if (status < 0) request.callback(addressException(status, 'send', request.address, request.port));
    else request.callback(null, request.size);
  });

const BYTES = 'of type string or an instance of Buffer, TypedArray, or DataView';

function bytesOf(value) {
  if (typeof value === 'string') return Buffer.from(value);
  return ArrayBufferIsView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

function sliceOf(message, offset, length) {
  const bytes = bytesOf(message);
  if (bytes === undefined) throw invalidArgType('buffer', BYTES, message);
  offset >>>= 0;
  length >>>= 0;
  const outside = offset > bytes.length ? 'offset' : offset + length > bytes.length ? 'length' : null;
  if (outside !== null) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', `"${outside}" is outside of buffer bounds`);
  return Buffer.from(bytes.buffer, bytes.byteOffset + offset, length);
}

// A message, or a list of parts of one, as bytes.
function joined(message) {
  const several = ArrayIsArray(message);
  const parts = several ? arrayMap.call(message, bytesOf) : [bytesOf(message)];
  if (arrayIncludes.call(parts, undefined)) throw invalidArgType(several ? 'buffer list arguments' : 'buffer', BYTES, message);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

// An interface's address as text; without one the system chooses.
const textOf = (address) => address === undefined || address === null ? undefined : `${address}`;

// Checks the target of a message: the address may be omitted before the callback.
function checkTarget(target) {
  const { address } = target;
  target.port = validatePort(target.port, 'Port', false);
  if (typeof address === 'function') Object.assign(target, { address: undefined, callback: address });
  else if (typeof (address ?? '') !== 'string') throw invalidArgType('address', 'of type string', address);
}

// A connected socket has a target already: send(msg, offset, length[, callback]).
function checkNoTarget(port, address) {
  if (address || port && typeof port !== 'function')
    throw coded(Error, 'ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected');
}

// Private parts of a socket. Socket is a function, not a class: old ways of subclassing call it.
const kState = Symbol('state');
const k = {
  abortWith: Symbol('abortWith'), running: Symbol('running'), resolve: Symbol('resolve'), listen: Symbol('listen'),
  whenBound: Symbol('whenBound'), sendNow: Symbol('sendNow'), set: Symbol('set'), membership: Symbol('membership'),
  sourceMembership: Symbol('sourceMembership'),
  bufferSize: Symbol('bufferSize'),
};

const SIZES = { __proto__: null, recvBufferSize: validateUint32, sendBufferSize: validateUint32 };

function Socket(type, listener) {
  Reflect.apply(EventEmitter, this, []);
  const options = typeof type === 'object' && type !== null ? type : { type };
  const { lookup, signal } = options;
  if (lookup !== undefined) validateFunction(lookup, 'lookup');
  if (options.type !== 'udp4' && options.type !== 'udp6')
    throw coded(TypeError, 'ERR_SOCKET_BAD_TYPE', 'Bad socket type specified. Valid types are: udp4, udp6');
  checkFields(options, 'options', SIZES, Boolean);
  this.type = options.type;
  this._handle = binding.udp(this);
  Object.defineProperty(this, kState, {
    __proto__: null,
    value: {
      bound: UNBOUND,
      connected: DISCONNECTED,
      waiting: [], // sends that wait for the socket to be bound
      options,
      lookup: lookup ?? require('dns').lookup,
    },
  });
  if (typeof listener === 'function') this.on('message', listener);
  if (signal !== undefined) this[k.abortWith](signal);
  tools.publish?.('udp.socket', { socket: this });
}
Object.setPrototypeOf(Socket.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Socket, EventEmitter);

class Methods {
  [k.abortWith](signal) {
    validateAbortSignal(signal, 'options.signal');
    const abort = () => {
      if (this._handle !== null) this.close();
    };
    if (signal.aborted) abort();
    else {
      signal.addEventListener('abort', abort, { __proto__: null, once: true, [kUnstoppable]: true });
      this.once('close', () => signal.removeEventListener('abort', abort));
    }
  }

  [k.running]() {
    if (this._handle === null) throw notRunning();
    return this._handle;
  }

  [k.resolve](address, answer) {
    const six = this.type === 'udp6';
    this[kState].lookup(address || (six ? '::1' : '127.0.0.1'), six ? 6 : 4, answer);
  }

  bind(port, address, callback) {
    this[k.running]();
    if (this[kState].bound !== UNBOUND) throw coded(Error, 'ERR_SOCKET_ALREADY_BOUND', 'Socket is already bound');
    this[kState].bound = BINDING;
    const last = arrayFind.call([callback, address, port], (value) => typeof value === 'function');
    if (last !== undefined) {
      const forget = () => {
        this.removeListener('error', forget);
        this.removeListener('listening', listening);
      };
      const listening = (...args) => {
        forget();
        Reflect.apply(last, this, args);
      };
      this.on('error', forget);
      this.on('listening', listening);
    }
    if (typeof address === 'function') address = undefined;
    if (port !== null && typeof port === 'object') ({ port, address } = port);
    address ||= this.type === 'udp6' ? '::' : '0.0.0.0';
    port = typeof port === 'function' ? 0 : port;
    this[k.resolve](address, (error, ip) => {
      if (this._handle === null) return;
      if (error) {
        this[kState].bound = UNBOUND;
        this.emit('error', error);
        return;
      }
      let flags = 0;
      if (this[kState].options.reuseAddr) flags |= REUSEADDR;
      if (this[kState].options.ipv6Only) flags |= IPV6ONLY;
      const err = binding.bind(this._handle, ip, port | 0, flags);
      if (err < 0) {
        this[kState].bound = UNBOUND;
        this.emit('error', addressException(err, 'bind', ip, port | 0));
        return;
      }
      this[k.listen]();
    });
    return this;
  }

  [k.listen]() {
    binding.receiveStart(this._handle);
    this[kState].bound = BOUND;
    const { recvBufferSize, sendBufferSize } = this[kState].options;
    if (recvBufferSize) binding.bufferSize(this._handle, recvBufferSize, true);
    if (sendBufferSize) binding.bufferSize(this._handle, sendBufferSize, false);
    this.emit('listening');
    for (const send of over(arraySplice.call(this[kState].waiting, 0))) send();
  }

  // Sending and connecting need a bound socket; the first of them binds it.
  [k.whenBound](action) {
    if (this[kState].bound === UNBOUND) this.bind({ port: 0, exclusive: true });
    if (this[kState].bound === BOUND) action();
    else arrayPush.call(this[kState].waiting, action);
  }

  connect(target, address, callback) {
    const port = validatePort(target, 'Port', false);
    if (typeof address === 'function') {
      callback = address;
      address = '';
    } else if (address !== undefined) {
      validateString(address, 'address');
    }
    this[k.running]();
    if (this[kState].connected !== DISCONNECTED)
      throw coded(Error, 'ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected');
    this[kState].connected = CONNECTING;
    this[k.whenBound](() => {
      if (callback) this.once('connect', callback);
      this[k.resolve](address, (error, ip) => {
        if (this._handle === null) return;
        const err = error ? 0 : binding.connect(this._handle, ip, port);
        if (error || err < 0) {
          this[kState].connected = DISCONNECTED;
          const failed = error ?? addressException(err, 'connect', address || ip, port);
          process.nextTick(() => {
            if (callback) {
              this.removeListener('connect', callback);
              callback(failed);
            } else {
              this.emit('error', failed);
            }
          });
          return;
        }
        this[kState].connected = CONNECTED;
        process.nextTick(() => this.emit('connect'));
      });
    });
  }

  disconnect() {
    if (this[kState].connected !== CONNECTED) throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected');
    const err = binding.disconnect(this[k.running]());
    if (err < 0) throw errnoException(err, 'connect');
    this[kState].connected = DISCONNECTED;
  }

  // send(msg[, offset, length][, port][, address][, callback])
  send(message, offset, size, port, address, callback) {
    const connected = this[kState].connected === CONNECTED;
    const sliced = connected ? typeof size === 'number' : Boolean(address || (port && typeof port !== 'function'));
    if (connected && !sliced && port) checkNoTarget(true); // (msg, port, address, callback)
    const data = joined(sliced ? sliceOf(message, offset, size) : message);
    if (connected && sliced) checkNoTarget(port, address);
    const after = sliced ? [port, address, callback] : [offset, size, port];
    const target = connected ? { callback: after[0] } : { port: after[0], address: after[1], callback: after[2] };
    if (!connected) checkTarget(target);
    if (typeof target.callback !== 'function') target.callback = undefined;
    this[k.running]();
    this[k.whenBound](() => this[k.sendNow](data, target.port, target.address, connected, target.callback));
  }

  sendto(buffer, offset, length, port, address, callback) {
    validateNumber(offset, 'offset');
    validateNumber(length, 'length');
    validateNumber(port, 'port');
    validateString(address, 'address');
    this.send(buffer, offset, length, port, address, callback);
  }

  [k.sendNow](data, port, address, connected, callback) {
    const finish = (error, ip) => {
      if (error) {
        if (callback !== undefined) process.nextTick(callback, error);
        else process.nextTick(() => this.emit('error', error));
        return;
      }
      if (this._handle === null) return;
      const request = { callback, address: ip, port, size: data.length };
      const err = connected ? binding.send(this._handle, data, request) :
        binding.send(this._handle, data, request, ip, port);
      if (callback === undefined) return;
      if (err < 0) process.nextTick(callback, addressException(err, 'send', ip, port));
      else if (err === 1) process.nextTick(callback, null, data.length);
    };
    if (connected) finish(null);
    else this[k.resolve](address, finish);
  }

  close(callback) {
    if (typeof callback === 'function') this.on('close', callback);
    if (this[kState].bound === BINDING && this[kState].waiting.length > 0) {
      arrayPush.call(this[kState].waiting, () => this.close());
      return this;
    }
    const handle = this[k.running]();
    binding.receiveStop(handle);
    this._handle = null;
    this[kState].bound = UNBOUND;
    handles.close(handle);
    process.nextTick(() => this.emit('close'));
    return this;
  }

  address() {
    const name = binding.sockName(this[k.running]());
    if (typeof name === 'number') throw errnoException(name, 'getsockname');
    return { address: name.address, family: name.family, port: name.port };
  }

  remoteAddress() {
    this[k.running]();
    if (this[kState].connected !== CONNECTED) throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected');
    const name = binding.peerName(this._handle);
    if (typeof name === 'number') throw errnoException(name, 'getpeername');
    return name;
  }

  setBroadcast(on) { this[k.set]('setBroadcast', Boolean(on)); }
  setTTL(ttl) { validateNumber(ttl, 'ttl'); this[k.set]('setTTL', ttl); return ttl; }
  setMulticastTTL(ttl) { validateNumber(ttl, 'ttl'); this[k.set]('setMulticastTTL', ttl); return ttl; }
  setMulticastLoopback(on) { this[k.set]('setMulticastLoopback', Boolean(on)); return on; }
  setMulticastInterface(address) { validateString(address, 'interfaceAddress'); this[k.set]('setMulticastInterface', address); }

  [k.set](name, value) {
    const err = binding[name](this[k.running](), value);
    if (err < 0) throw errnoException(err, name);
  }

  addMembership(group, address) { this[k.membership](group, address, true, 'addMembership'); }
  dropMembership(group, address) { this[k.membership](group, address, false, 'dropMembership'); }

  [k.membership](group, address, join, name) {
    if (!group) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "multicastAddress" argument must be specified');
    if (this[kState].bound === UNBOUND) this.bind({ port: 0, exclusive: true });
    const err = binding.membership(this[k.running](), `${group}`, textOf(address), join);
    if (err < 0) throw errnoException(err, name);
  }

  addSourceSpecificMembership(source, group, address) {
    this[k.sourceMembership](source, group, address, true, 'addSourceSpecificMembership');
  }

  dropSourceSpecificMembership(source, group, address) {
    this[k.sourceMembership](source, group, address, false, 'dropSourceSpecificMembership');
  }

  [k.sourceMembership](source, group, address, join, name) {
    const handle = this[k.running]();
    validateString(source, 'sourceAddress');
    validateString(group, 'groupAddress');
    if (join && this[kState].bound === UNBOUND) this.bind(0);
    const err = binding.membership(handle, group, textOf(address), join, source);
    if (err < 0) throw errnoException(err, name);
  }

  [k.bufferSize](size, receive) {
    if (size !== 0 && (size >>> 0) !== size)
      throw coded(TypeError, 'ERR_SOCKET_BAD_BUFFER_SIZE', 'Buffer size must be a positive integer');
    const result = binding.bufferSize(this[k.running](), size, receive);
    if (result < 0)
      throw coded(Error, 'ERR_SOCKET_BUFFER_SIZE',
        `Could not get or set buffer size: uv_${receive ? 'recv' : 'send'}_buffer_size returned ${uv.errorName(result)} (${uv.errorText(result)})`);
    return result;
  }

  setRecvBufferSize(size) { this[k.bufferSize](size, true); }
  setSendBufferSize(size) { this[k.bufferSize](size, false); }
  getRecvBufferSize() { return this[k.bufferSize](0, true); }
  getSendBufferSize() { return this[k.bufferSize](0, false); }
  getSendQueueSize() { return binding.queued(this[k.running]())[0]; }
  getSendQueueCount() { return binding.queued(this[k.running]())[1]; }

  ref() {
    if (this._handle !== null) handles.ref(this._handle);
    return this;
  }

  unref() {
    if (this._handle !== null) handles.unref(this._handle);
    return this;
  }
}
for (const name of over(Reflect.ownKeys(Methods.prototype)))
  if (name !== 'constructor') Socket.prototype[name] = Methods.prototype[name];
Socket.prototype[Symbol.asyncDispose] = function () {
  return new Promise((resolve) => this._handle === null ? resolve() : this.close(() => resolve()));
};

module.exports = { Socket, createSocket: (type, listener) => new Socket(type, listener) };
