'use strict';
// A Readable as an async iterator: reads when 'readable' says that there is something, and
// waits in between. A loop that is left early destroys the stream, unless destroyOnReturn is false.

const { AbortError } = require('internal/errors');
const { bothErrors } = require('internal/streams/destroy');
const { finished } = require('internal/streams/finished');
const { isReadableFinished, isWritableFinished } = require('internal/streams/state');

// One waits, others ring. A ring that nobody waits for is lost: the waiter has looked.
class Bell {
  constructor() {
    this.answer = null;
    this.ring = () => {
      const { answer } = this;
      this.answer = null;
      answer?.();
    };
    this.listen = (resolve) => {
      this.answer = resolve;
    };
  }

  rung() {
    return new Promise(this.listen);
  }
}

// How it came to an end: undefined (not yet, or left early), null (well), or an error.
function diesWithIterator(outcome, state, options) {
  const mayDie = options?.destroyOnReturn !== false;
  if (outcome === undefined) return mayDie;
  return state.autoDestroy && (mayDie || Boolean(outcome));
}

// What a destroyed stream still has is nobody's any more.
function nextOf(stream) {
  return stream.destroyed ? null : stream.read();
}

async function* chunksOf(stream, options) {
  const bell = new Bell();
  let outcome;
  stream.on('readable', bell.ring);
  const forget = finished(stream, { writable: false }, (error) => {
    outcome = error ? bothErrors(outcome, error) : null;
    bell.ring();
  });
  try {
    for (;;) {
      const chunk = nextOf(stream);
      if (chunk === null) {
        if (outcome === null) return;
        if (outcome) throw outcome;
        await bell.rung();
      } else {
        yield chunk;
      }
    }
  } catch (error) {
    outcome = bothErrors(outcome, error);
    throw outcome;
  } finally {
    if (diesWithIterator(outcome, stream._readableState, options)) {
      // With half of it undone it is cut off, and says so.
      const isWhole = isReadableFinished(stream) !== false && isWritableFinished(stream) !== false;
      stream.destroy(isWhole ? null : new AbortError());
    } else {
      stream.off('readable', bell.ring);
      forget();
    }
  }
}

module.exports = function iterate(stream, options) {
  // A stream of old has events only.
  if (typeof stream.read !== 'function') stream = require('internal/streams/readable').wrap(stream, { objectMode: true });
  return Object.assign(chunksOf(stream, options), { stream });
};
