'use strict';
// net.Socket, second part: what can be asked of a socket, its addresses, counters and
// states.

const binding = native('stream');
const { Buffer } = require('buffer');
const { Socket, kBytesRead, kBytesWritten, kKind } = require('internal/net/socket');

Socket.prototype.address = function () {
  return this._getsockname();
};

Socket.prototype._getsockname = function () {
  if (this._handle === null || this[kKind] !== 'tcp') return {};
  if (this._sockname === null) {
    const name = binding.sockName(this._handle);
    if (typeof name === 'number') return {};
    this._sockname = name;
  }
  return this._sockname;
};

Socket.prototype._getpeername = function () {
  if (this._handle === null || this.connecting || this[kKind] !== 'tcp') return this._peername ?? {};
  if (this._peername === null) {
    const name = binding.peerName(this._handle);
    if (typeof name === 'number') return {};
    this._peername = name;
  }
  return this._peername;
};

function getter(name, get) {
  Object.defineProperty(Socket.prototype, name, { get, configurable: true, enumerable: true });
}
getter('_connecting', function () { return this.connecting; });
getter('pending', function () { return this._handle === null || this.connecting; });
getter('readyState', function () {
  if (this.connecting) return 'opening';
  if (this.readable && this.writable) return 'open';
  if (this.readable && !this.writable) return 'readOnly';
  if (!this.readable && this.writable) return 'writeOnly';
  return 'closed';
});
getter('bufferSize', function () { return this._handle !== null ? this.writableLength : undefined; });
getter('bytesRead', function () { return this[kBytesRead]; });
getter('bytesWritten', function () {
  let bytes = this[kBytesWritten];
  const data = this._pendingData;
  for (const item of this._writableState.getBuffer?.() ?? [])
    bytes += typeof item.chunk === 'string' ? Buffer.byteLength(item.chunk, item.encoding) : item.chunk.length;
  if (Array.isArray(data))
    for (const item of data)
      bytes += typeof item.chunk === 'string' ? Buffer.byteLength(item.chunk, item.encoding) : item.chunk.length;
  else if (data)
    bytes += typeof data === 'string' ? Buffer.byteLength(data, this._pendingEncoding) : data.byteLength;
  return bytes;
});
getter('remoteAddress', function () { return this._getpeername().address; });
getter('remoteFamily', function () { return this._getpeername().family; });
getter('remotePort', function () { return this._getpeername().port; });
getter('localAddress', function () { return this._getsockname().address; });
getter('localPort', function () { return this._getsockname().port; });
getter('localFamily', function () { return this._getsockname().family; });
