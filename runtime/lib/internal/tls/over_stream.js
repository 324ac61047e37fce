'use strict';
// TLS over a stream that is JavaScript's alone: what the connection sends is written to it, what it
// reads is fed to the connection.

// own methods: below, socket
const binding = native('tls');
const { failure } = require('internal/tls/library');
const { EOF } = require('internal/net/util');

const ECANCELED = -125;
const kOver = Symbol('over');

function open(socket, below) {
  socket[kOver] = below;
  below.pause();
  const onData = (chunk) => {
    if (typeof chunk === 'string' || below.readableObjectMode) {
      below.pause();
      below.removeListener('data', onData);
      socket.destroy(failure('ERR_STREAM_WRAP'));
      return;
    }
    if (socket._handle !== null) binding.feed(socket._handle, chunk);
  };
  below.on('data', onData);
  below.once('end', () => {
    if (socket._handle !== null) binding.feed(socket._handle, EOF);
  });
  below.on('error', (error) => socket._emitTLSError(error));
  below.resume();
}

// Bytes for the network.
function send(socket, bytes) {
  const { _handle: handle, [kOver]: below } = socket;
  if (below.destroyed || !below.writable) {
    process.nextTick(() => binding.sent(handle, ECANCELED));
    return;
  }
  below.write(bytes, (error) => binding.sent(handle, error ? ECANCELED : 0));
}

function shut(socket, request) {
  const { [kOver]: below } = socket;
  below.end(() => request.callback());
}

function flow(socket, flows) {
  if (flows) socket[kOver].resume();
  else socket[kOver].pause();
}

module.exports = { flow, open, send, shut };
