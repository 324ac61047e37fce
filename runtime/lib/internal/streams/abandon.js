'use strict';
// stream.destroy(): ends any stream, also objects that only resemble one.

const { AbortError } = require('internal/errors');
const state = require('internal/streams/state');

function emitLast(object, error) {
  if (error) object.emit('error', error);
  object.emit('close');
}

// An operation that is ended without a reason counts as aborted.
function abandon(stream, error) {
  if (!stream || state.isDestroyed(stream)) return;
  const isOver = state.isNode(stream) && !state.isReadable(stream) && !state.isWritable(stream);
  const reason = error || (isOver ? error : new AbortError());
  if (typeof stream.destroy === 'function') stream.destroy(reason);
  else if (typeof stream.close === 'function') stream.close();
  else process.nextTick(emitLast, stream, reason);
  if (!stream.destroyed) state.noteDestroyed(stream);
}

module.exports = abandon;
