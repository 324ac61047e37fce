'use strict';
// net.Socket, second part: properties of a socket, its addresses, counters and states.

const { ArrayIsArray, arrayReduce, over, stringSlice, stringToUpperCase } = intrinsics;
const binding = native('stream');
const { Buffer } = require('buffer');
const { Socket, kBytesRead, kBytesWritten, kKind } = require('internal/net/socket');

const NONE = {};

// The name of one end, read from the kernel once and kept in the socket's property.
function nameOf(socket, property, ask) {
  if (socket._handle === null || socket[kKind] !== 'tcp') return NONE;
  const kept = socket[property];
  if (kept !== null) return kept;
  const name = ask(socket._handle);
  return typeof name === 'number' ? NONE : socket[property] = name;
}

function localName() {
  const name = nameOf(this, '_sockname', binding.sockName);
  return name === NONE ? {} : name;
}

// The address is kept once it was read: a closed socket still has it.
function peerName() {
  const name = this.connecting ? NONE : nameOf(this, '_peername', binding.peerName);
  return name !== NONE ? name : this._peername ?? {};
}

Object.assign(Socket.prototype, {
  address: localName,
  _getsockname: localName,
  _getpeername: peerName,
});

function getter(name, get) {
  Object.defineProperty(Socket.prototype, name, { __proto__: null, get, configurable: true, enumerable: true });
}
for (const { 0: side, 1: ask } of over([['remote', '_getpeername'], ['local', '_getsockname']]))
  for (const part of over(['address', 'family', 'port']))
    getter(side + stringToUpperCase.call(part[0]) + stringSlice.call(part, 1), function () { return this[ask]()[part]; });

getter('_connecting', function () { return this.connecting; });
getter('pending', function () { return this._handle === null || this.connecting; });
const STATES = ['closed', 'readOnly', 'writeOnly', 'open'];
getter('readyState', function () {
  return this.connecting ? 'opening' : STATES[(this.readable ? 1 : 0) + (this.writable ? 2 : 0)];
});
getter('bufferSize', function () { return this._handle !== null ? this.writableLength : undefined; });
getter('bytesRead', function () { return this[kBytesRead]; });
// Bytes that are still to be written count too.
const sizeOf = ({ chunk, encoding }) =>
  typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.byteLength;
getter('bytesWritten', function () {
  const { _pendingData: data, _pendingEncoding: encoding } = this;
  const pending = ArrayIsArray(data) ? data : data ? [{ chunk: data, encoding }] : [];
  const waiting = [...over(this._writableState.getBuffer?.() ?? []), ...over(pending)];
  return arrayReduce.call(waiting, (sum, item) => sum + sizeOf(item), this[kBytesWritten]);
});
