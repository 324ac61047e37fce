'use strict';
// A Readable as an async iterator: reads after 'readable', and waits in between. A loop that is
// left early destroys the stream, unless destroyOnReturn is false.

const { AbortError } = require('internal/errors');
const { bothErrors } = require('internal/streams/destroy');
const { finished } = require('internal/streams/finished');
const { isReadableFinished, isWritableFinished } = require('internal/streams/state');

// One side waits, others ring. A ring without a waiter is lost, since the waiter checks before it
// waits.
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

// The outcome: undefined (not ended, or left early), null (ended normally), or an error.
function diesWithIterator(outcome, state, options) {
  const mayDie = options?.destroyOnReturn !== false;
  if (outcome === undefined) return mayDie;
  return state.autoDestroy && (mayDie || Boolean(outcome));
}

// The data of a destroyed stream is dropped.
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
      // A stream of which one half hasn't ended is reported as closed prematurely.
      const isWhole = isReadableFinished(stream) !== false && isWritableFinished(stream) !== false;
      stream.destroy(isWhole ? null : new AbortError());
    } else {
      stream.off('readable', bell.ring);
      forget();
    }
  }
}

module.exports = function iterate(stream, options) {
  // An old-style stream has events only.
  if (typeof stream.read !== 'function') stream = require('internal/streams/readable').wrap(stream, { objectMode: true });
  return Object.assign(chunksOf(stream, options), { stream });
};
