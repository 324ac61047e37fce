'use strict';
// addAbortSignal(): an aborted signal destroys the stream.

const { AbortError, invalidArgType, validateAbortSignal } = require('internal/errors');
const { isNode } = require('internal/streams/state');

function addAbortSignal(signal, stream) {
  if (signal === undefined || signal === null || typeof signal !== 'object' || !('aborted' in signal))
    throw invalidArgType('signal', 'an instance of AbortSignal', signal);
  validateAbortSignal(signal, 'signal');
  if (!isNode(stream))
    throw invalidArgType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
  const abort = () => stream.destroy(new AbortError(undefined, { cause: signal.reason }));
  if (signal.aborted) {
    abort();
  } else {
    signal.addEventListener('abort', abort, { once: true });
    require('internal/streams/finished').finished(stream, () => signal.removeEventListener('abort', abort));
  }
  return stream;
}

module.exports = { addAbortSignal };
