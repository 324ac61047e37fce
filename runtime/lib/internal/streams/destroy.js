'use strict';
// The beginning and the end of every stream: construction, destruction, and the order in which
// 'error' and 'close' are emitted. A stream has a reading half, a writing half or both; each half
// records what happens to the stream.

const { ArrayIsArray, arrayPush, over } = intrinsics;
const { coded } = require('internal/errors');

const multipleCallback = () => coded(Error, 'ERR_MULTIPLE_CALLBACK', 'Callback called multiple times');

// --- the halves -------------------------------------------------------------------------------

const eitherIs = (stream, name) => Boolean(stream._writableState?.[name] || stream._readableState?.[name]);

function mark(stream, name, value) {
  if (stream._writableState) stream._writableState[name] = value;
  if (stream._readableState) stream._readableState[name] = value;
}

// The first error counts, in each half separately.
function noteError(stream, error) {
  if (!error) return;
  if (stream._writableState) stream._writableState.errored ||= error;
  if (stream._readableState) stream._readableState.errored ||= error;
}

function bothErrors(inner, outer) {
  if (!inner || !outer || inner === outer) return inner || outer;
  if (ArrayIsArray(outer.errors)) {
    arrayPush.call(outer.errors, inner);
    return outer;
  }
  const error = new AggregateError(over([outer, inner]), outer.message);
  error.code = outer.code;
  return error;
}

// --- the events -----------------------------------------------------------------------------

function emitError(stream, error) {
  if (eitherIs(stream, 'errorEmitted')) return;
  mark(stream, 'errorEmitted', true);
  stream.emit('error', error);
}

function emitLast(stream, error) {
  if (error) emitError(stream, error);
  mark(stream, 'closeEmitted', true);
  if (eitherIs(stream, 'emitClose')) stream.emit('close');
}

// Reports an error of a live stream, which by default is destroyed. `later`: the program should not
// be called back during its own call.
function fail(stream, error, later) {
  if (eitherIs(stream, 'destroyed')) return;
  if (eitherIs(stream, 'autoDestroy')) {
    stream.destroy(error);
    return;
  }
  if (!error) return;
  noteError(stream, error);
  if (later) process.nextTick(emitError, stream, error);
  else emitError(stream, error);
}

// A callback for one of the program's methods, which may call it only once.
function once(stream, callback) {
  let pending = callback;
  return (error) => {
    const answer = pending;
    pending = null;
    if (answer !== null) answer(error);
    else fail(stream, error ?? multipleCallback());
  };
}

// --- construction -----------------------------------------------------------------------------

// Streams whose _construct hasn't finished: what each half does then and, if the stream was
// destroyed meanwhile, how that continues.
const unborn = new WeakMap();

// Calls back when _construct, if there is one, is done.
function construct(stream, callback) {
  if (typeof stream._construct !== 'function') return;
  mark(stream, 'constructed', false);
  const birth = unborn.get(stream);
  if (birth) { // a Duplex comes here once for each half
    arrayPush.call(birth.callbacks, callback);
    return;
  }
  unborn.set(stream, { callbacks: [callback], destroy: null });
  process.nextTick(callConstruct, stream);
}

function callConstruct(stream) {
  const answer = once(stream, (error) => born(stream, error));
  const inTick = (error) => process.nextTick(answer, error);
  try {
    stream._construct(inTick);
  } catch (thrown) {
    inTick(thrown);
  }
}

function born(stream, error) {
  const birth = unborn.get(stream);
  unborn.delete(stream);
  mark(stream, 'constructed', true);
  if (eitherIs(stream, 'destroyed')) birth.destroy?.(error);
  else if (error) fail(stream, error, true);
  else for (const callback of over(birth.callbacks)) callback();
}

// --- destruction ------------------------------------------------------------------------------

function destroy(error, callback) {
  if (eitherIs(this, 'destroyed')) {
    if (typeof callback === 'function') callback();
    return this;
  }
  noteError(this, error);
  mark(this, 'destroyed', true);
  // A stream that is still being constructed has resources that only _construct knows: construction
  // ends first.
  const birth = (this._writableState || this._readableState).constructed ? undefined : unborn.get(this);
  if (birth) birth.destroy = (failed) => callDestroy(this, bothErrors(failed, error), callback);
  else callDestroy(this, error, callback);
  return this;
}

function callDestroy(stream, reason, callback) {
  let isOver = false;
  const answer = (error) => {
    if (isOver) return;
    isOver = true;
    noteError(stream, error);
    mark(stream, 'closed', true);
    if (typeof callback === 'function') callback(error);
    process.nextTick(emitLast, stream, error);
  };
  try {
    stream._destroy(reason || null, answer);
  } catch (thrown) {
    answer(thrown);
  }
}

// For streams that are reused, such as a socket that connects again.
function undestroy() {
  mark(this, 'constructed', true);
  for (const name of over(['destroyed', 'closed', 'closeEmitted', 'errorEmitted'])) mark(this, name, false);
  mark(this, 'errored', null);
  this._writableState?.reopen();
  const r = this._readableState;
  if (!r) return;
  r.reading = false;
  r.ended = r.endEmitted = r.readable === false;
}

module.exports = { bothErrors, construct, destroy, errorOrDestroy: fail, multipleCallback, noteError, once, undestroy };
