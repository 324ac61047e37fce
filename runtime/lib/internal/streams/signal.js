'use strict';
// addAbortSignal(): an aborted signal destroys the stream.

const { AbortError, invalidArgType, validateAbortSignal } = require('internal/errors');
const { kUnstoppable } = require('internal/event_target');
const { isNode } = require('internal/streams/state');

function addAbortSignal(signal, stream) {
  // As an option a signal may be omitted, here it may not. For null this throws the error that
  // Node's unchecked access causes.
  if (signal === null) throw new TypeError("Cannot use 'in' operator to search for 'aborted' in null");
  if (signal === undefined) throw invalidArgType('signal', 'an instance of AbortSignal', signal);
  validateAbortSignal(signal, 'signal');
  if (!isNode(stream))
    throw invalidArgType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
  const abort = () => {
    const { reason: cause } = signal;
    stream.destroy(new AbortError(undefined, { cause }));
  };
  if (signal.aborted) {
    abort();
    return stream;
  }
  signal.addEventListener('abort', abort, { __proto__: null, once: true, [kUnstoppable]: true });
  // A signal may outlive many streams, and should not keep them alive.
  require('internal/streams/finished').finished(stream, () => signal.removeEventListener('abort', abort));
  return stream;
}

module.exports = { addAbortSignal };
