'use strict';
// Readable, second part: flowing. Listening, pausing and resuming; loads piping (pipe.js) and
// iterating (iterate.js).

const { arrayForEach, arrayIndexOf, arraySplice } = intrinsics;
const Stream = require('internal/streams/legacy');
const { errorOrDestroy } = require('internal/streams/destroy');

let announce; // from readable.js: emits 'readable' in the next tick
let flow; // from readable.js: reads as long as the stream flows

// --- listening --------------------------------------------------------------------------------

function dataListened(stream, state) {
  // 'readable' listeners decide themselves when to read.
  state.readableListening = stream.listenerCount('readable') > 0;
  if (state.flowing !== false) stream.resume();
}

function readableListened(stream, state) {
  if (state.readableListening || state.endEmitted) return;
  Object.assign(state, { readableListening: true, needReadable: true, flowing: false, emittedReadable: false });
  if (state.length > 0) announce(stream);
  else if (!state.reading) process.nextTick(nudge, stream);
}

// Makes the source read, without taking anything.
function nudge(stream) {
  stream.read(0);
}

// In a tick after a listener was removed, since another may be added in this one.
function readableUnlistened(stream) {
  const state = stream._readableState;
  const hasReaders = stream.listenerCount('readable') > 0;
  state.readableListening = hasReaders;
  if (state.held === false && state.resumeScheduled) state.flowing = true;
  else if (stream.listenerCount('data') > 0) stream.resume();
  else if (!hasReaders) state.flowing = null;
}

function on(event, listener) {
  const result = Reflect.apply(Stream.prototype.on, this, [event, listener]);
  if (event === 'data') dataListened(this, this._readableState);
  else if (event === 'readable') readableListened(this, this._readableState);
  return result;
}

function removeListener(event, listener) {
  const result = Reflect.apply(Stream.prototype.removeListener, this, [event, listener]);
  if (event === 'readable') process.nextTick(readableUnlistened, this);
  return result;
}

function removeAllListeners(...events) {
  const result = Reflect.apply(Stream.prototype.removeAllListeners, this, events);
  const { 0: event = 'readable' } = events;
  if (event === 'readable') process.nextTick(readableUnlistened, this);
  return result;
}

// --- pausing and resuming --------------------------------------------------------------------------

function resume() {
  const state = this._readableState;
  state.held = false;
  if (state.flowing) return this;
  state.flowing = !state.readableListening;
  if (!state.resumeScheduled) {
    state.resumeScheduled = true;
    process.nextTick(resumed, this, state);
  }
  return this;
}

function resumed(stream, state) {
  if (!state.reading) nudge(stream);
  state.resumeScheduled = false;
  stream.emit('resume');
  flow(stream);
  if (!state.reading && state.flowing) nudge(stream);
}

function pause() {
  const state = this._readableState;
  const wasFlowing = state.flowing !== false;
  state.flowing = false;
  if (wasFlowing) this.emit('pause');
  state.held = true;
  return this;
}

function isPaused() {
  const { flowing, held } = this._readableState;
  return flowing === false || held === true;
}

// --- reading it all ---------------------------------------------------------------------------------

function pipe(target, options) {
  const { Pipe } = require('internal/streams/pipe');
  new Pipe(this, target).open(options?.end !== false);
  return target;
}

// The pipe itself listens to its target's 'unpipe' and removes its listeners.
function unpipe(target) {
  const state = this._readableState;
  let left = state.pipes;
  if (target) {
    const at = arrayIndexOf.call(left, target);
    if (at < 0) return this;
    left = arraySplice.call(left, at, 1);
  } else {
    state.pipes = [];
  }
  if (left.length === 0) return this;
  const isAlone = state.pipes.length === 0;
  if (isAlone) this.pause();
  arrayForEach.call(left, (each) => each.emit('unpipe', this, { hasUnpiped: false }));
  return this;
}

function iterator(options) {
  if (options !== undefined) require('internal/errors').validateObject(options, 'options');
  return require('internal/streams/iterate')(this, options);
}

// An old-style source, with 'data' and 'end' and pause(), as a Readable.
function wrap(source) {
  let isHeld = false;
  const hold = (yes) => {
    const method = yes ? source.pause : source.resume;
    if (!method) return;
    isHeld = yes;
    Reflect.apply(method, source, []);
  };
  const listeners = {
    data: (chunk) => {
      const goesOn = this.push(chunk);
      if (!goesOn) hold(true);
    },
    end: () => this.push(null),
    error: (error) => errorOrDestroy(this, error),
    close: () => this.destroy(),
    destroy: () => this.destroy(),
  };
  for (const event in listeners) source.on(event, listeners[event]);
  this._read = () => {
    if (isHeld) hold(false);
  };
  return this;
}

function addTo(Readable, parts) {
  ({ announce, flow } = parts);
  Object.assign(Readable.prototype, {
    on, addListener: on, removeListener, off: removeListener, removeAllListeners,
    resume, pause, isPaused, pipe, unpipe, iterator, wrap,
    [Symbol.asyncIterator]() {
      return Reflect.apply(iterator, this, []);
    },
  });
}

module.exports = { addTo };
