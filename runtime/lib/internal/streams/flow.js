'use strict';
// Readable, second part: how it flows. Listening, pausing and resuming, piping, and
// iterating.

const Stream = require('internal/streams/legacy');
const Readable = require('internal/streams/readable');
const { bothErrors, errorOrDestroy } = require('internal/streams/destroy');

const inner = Symbol.for('rondo.flow');
const { emitReadable, flow, kPaused } = Readable[inner];
delete Readable[inner];

// --- listening --------------------------------------------------------------------------------

Readable.prototype.on = function (event, listener) {
  const result = Stream.prototype.on.call(this, event, listener);
  const state = this._readableState;
  if (event === 'data') {
    // 'readable' listeners decide themselves when to read.
    state.readableListening = this.listenerCount('readable') > 0;
    if (state.flowing !== false) this.resume();
  } else if (event === 'readable' && !state.endEmitted && !state.readableListening) {
    state.readableListening = state.needReadable = true;
    state.flowing = false;
    state.emittedReadable = false;
    if (state.length > 0) emitReadable(this);
    else if (!state.reading) process.nextTick(askForMore, this);
  }
  return result;
};
Readable.prototype.addListener = Readable.prototype.on;

function askForMore(stream) {
  stream.read(0);
}

Readable.prototype.removeListener = function (event, listener) {
  const result = Stream.prototype.removeListener.call(this, event, listener);
  // Another may be added in this very tick.
  if (event === 'readable') process.nextTick(updateListening, this);
  return result;
};
Readable.prototype.off = Readable.prototype.removeListener;

Readable.prototype.removeAllListeners = function (...args) {
  const result = Stream.prototype.removeAllListeners.apply(this, args);
  if (args[0] === 'readable' || args[0] === undefined) process.nextTick(updateListening, this);
  return result;
};

function updateListening(stream) {
  const state = stream._readableState;
  state.readableListening = stream.listenerCount('readable') > 0;
  if (state.resumeScheduled && state[kPaused] === false) state.flowing = true;
  else if (stream.listenerCount('data') > 0) stream.resume();
  else if (!state.readableListening) state.flowing = null;
}

// --- pausing and resuming --------------------------------------------------------------------------

Readable.prototype.resume = function () {
  const state = this._readableState;
  if (!state.flowing) {
    state.flowing = !state.readableListening;
    if (!state.resumeScheduled) {
      state.resumeScheduled = true;
      process.nextTick(resumeNow, this, state);
    }
  }
  state[kPaused] = false;
  return this;
};

function resumeNow(stream, state) {
  if (!state.reading) stream.read(0);
  state.resumeScheduled = false;
  stream.emit('resume');
  flow(stream);
  if (state.flowing && !state.reading) stream.read(0);
}

Readable.prototype.pause = function () {
  const state = this._readableState;
  if (state.flowing !== false) {
    state.flowing = false;
    this.emit('pause');
  }
  state[kPaused] = true;
  return this;
};

Readable.prototype.isPaused = function () {
  return this._readableState[kPaused] === true || this._readableState.flowing === false;
};

// --- piping -----------------------------------------------------------------------------------------------

function waitForDrain(state, dest) {
  if (state.pipes.length === 1 && state.pipes[0] === dest) {
    state.awaitDrainWriters = dest;
    state.multiAwaitDrain = false;
  } else if (state.pipes.length > 1 && state.pipes.includes(dest)) {
    state.awaitDrainWriters.add(dest);
  }
}

function drained(source, dest) {
  const state = source._readableState;
  if (state.awaitDrainWriters === dest) state.awaitDrainWriters = null;
  else if (state.multiAwaitDrain) state.awaitDrainWriters.delete(dest);
  if ((!state.awaitDrainWriters || state.awaitDrainWriters.size === 0) && source.listenerCount('data') > 0)
    source.resume();
}

Readable.prototype.pipe = function (dest, options) {
  const source = this;
  const state = this._readableState;
  if (state.pipes.length === 1 && !state.multiAwaitDrain) {
    state.multiAwaitDrain = true;
    state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : []);
  }
  state.pipes.push(dest);
  let onDrain;
  let cleaned = false;

  const onEnd = () => dest.end();
  const unpipe = () => source.unpipe(dest);
  const onUnpipe = (readable, info) => {
    if (readable === source && info && info.hasUnpiped === false) {
      info.hasUnpiped = true;
      clean();
    }
  };
  const onData = (chunk) => {
    if (dest.write(chunk) === false) pause();
  };
  const onError = (error) => {
    unpipe();
    dest.removeListener('error', onError);
    if (dest.listenerCount('error') > 0) return;
    const other = dest._writableState || dest._readableState;
    if (other && !other.errorEmitted) errorOrDestroy(dest, error);
    else dest.emit('error', error);
  };
  const onClose = () => {
    dest.removeListener('finish', onFinish);
    unpipe();
  };
  const onFinish = () => {
    dest.removeListener('close', onClose);
    unpipe();
  };
  const pause = () => {
    if (!cleaned) {
      waitForDrain(state, dest);
      source.pause();
    }
    if (!onDrain) {
      onDrain = () => drained(source, dest);
      dest.on('drain', onDrain);
    }
  };
  const clean = () => {
    dest.removeListener('close', onClose);
    dest.removeListener('finish', onFinish);
    if (onDrain) dest.removeListener('drain', onDrain);
    dest.removeListener('error', onError);
    dest.removeListener('unpipe', onUnpipe);
    source.removeListener('end', onEnd);
    source.removeListener('end', unpipe);
    source.removeListener('data', onData);
    cleaned = true;
    // It waited for this one, which will not drain for it any more.
    if (onDrain && state.awaitDrainWriters && (!dest._writableState || dest._writableState.needDrain)) onDrain();
  };

  const ends = options?.end !== false && dest !== process.stdout && dest !== process.stderr;
  const last = ends ? onEnd : unpipe;
  if (state.endEmitted) process.nextTick(last);
  else source.once('end', last);
  dest.on('unpipe', onUnpipe);
  source.on('data', onData);
  dest.prependListener('error', onError);
  dest.once('close', onClose);
  dest.once('finish', onFinish);
  dest.emit('pipe', source);
  if (dest.writableNeedDrain === true) pause();
  else if (!state.flowing) source.resume();
  return dest;
};

Readable.prototype.unpipe = function (dest) {
  const state = this._readableState;
  if (state.pipes.length === 0) return this;
  if (!dest) {
    const all = state.pipes;
    state.pipes = [];
    this.pause();
    for (const each of all) each.emit('unpipe', this, { hasUnpiped: false });
    return this;
  }
  const index = state.pipes.indexOf(dest);
  if (index === -1) return this;
  state.pipes.splice(index, 1);
  if (state.pipes.length === 0) this.pause();
  dest.emit('unpipe', this, { hasUnpiped: false });
  return this;
};

// --- iterating ---------------------------------------------------------------------------------------------

async function* iterate(stream, options) {
  const { finished } = require('internal/streams/finished');
  let wake = () => {};
  let error; // null when the stream came to its end
  const next = (resolve) => {
    wake = resolve;
  };
  const onReadable = () => {
    const call = wake;
    wake = () => {};
    call();
  };
  stream.on('readable', onReadable);
  const clean = finished(stream, { writable: false }, (failed) => {
    error = failed ? bothErrors(error, failed) : null;
    onReadable();
  });
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : stream.read();
      if (chunk !== null) yield chunk;
      else if (error) throw error;
      else if (error === null) return;
      else await new Promise(next);
    }
  } catch (thrown) {
    error = bothErrors(error, thrown);
    throw error;
  } finally {
    if ((error || options?.destroyOnReturn !== false) &&
        (error === undefined || stream._readableState.autoDestroy)) {
      stream.destroy(null);
    } else {
      stream.off('readable', onReadable);
      clean();
    }
  }
}

Readable.prototype[Symbol.asyncIterator] = function () {
  const iterator = iterate(this);
  iterator.stream = this;
  return iterator;
};

Readable.prototype.iterator = function (options) {
  if (options !== undefined) require('internal/errors').validateObject(options, 'options');
  const iterator = iterate(this, options);
  iterator.stream = this;
  return iterator;
};

// An old-style source, with 'data' and 'end' and pause(), as a Readable.
Readable.prototype.wrap = function (source) {
  let paused = false;
  source.on('data', (chunk) => {
    if (!this.push(chunk) && source.pause) {
      paused = true;
      source.pause();
    }
  });
  source.on('end', () => this.push(null));
  source.on('error', (error) => errorOrDestroy(this, error));
  source.on('close', () => this.destroy());
  source.on('destroy', () => this.destroy());
  this._read = () => {
    if (paused && source.resume) {
      paused = false;
      source.resume();
    }
  };
  return this;
};
