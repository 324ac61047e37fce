'use strict';
// The beginning and the end of every stream: construction, destruction, and the order in
// which 'error' and 'close' are told.

const { coded } = require('internal/errors');

const kDestroy = Symbol('kDestroy');
const kConstruct = Symbol('kConstruct');

const multipleCallback = () => coded(Error, 'ERR_MULTIPLE_CALLBACK', 'Callback called multiple times');

function note(error, w, r) {
  if (!error) return;
  if (w && !w.errored) w.errored = error;
  if (r && !r.errored) r.errored = error;
}

function bothErrors(inner, outer) {
  if (!inner || !outer || inner === outer) return inner || outer;
  if (Array.isArray(outer.errors)) {
    outer.errors.push(inner);
    return outer;
  }
  const error = new AggregateError([outer, inner], outer.message);
  error.code = outer.code;
  return error;
}

function emitError(stream, error) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w?.errorEmitted || r?.errorEmitted) return;
  if (w) w.errorEmitted = true;
  if (r) r.errorEmitted = true;
  stream.emit('error', error);
}

function emitClose(stream) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w) w.closeEmitted = true;
  if (r) r.closeEmitted = true;
  if (w?.emitClose || r?.emitClose) stream.emit('close');
}

function emitErrorAndClose(stream, error) {
  emitError(stream, error);
  emitClose(stream);
}

function runDestroy(stream, error, callback) {
  let called = false;
  const done = (failed) => {
    if (called) return;
    called = true;
    const r = stream._readableState;
    const w = stream._writableState;
    note(failed, w, r);
    if (w) w.closed = true;
    if (r) r.closed = true;
    if (typeof callback === 'function') callback(failed);
    if (failed) process.nextTick(emitErrorAndClose, stream, failed);
    else process.nextTick(emitClose, stream);
  };
  try {
    stream._destroy(error || null, done);
  } catch (thrown) {
    done(thrown);
  }
}

function destroy(error, callback) {
  const r = this._readableState;
  const w = this._writableState;
  if (w?.destroyed || r?.destroyed) {
    if (typeof callback === 'function') callback();
    return this;
  }
  note(error, w, r);
  if (w) w.destroyed = true;
  if (r) r.destroyed = true;
  // What is still being constructed is destroyed right after.
  if (!(w || r).constructed)
    this.once(kDestroy, (failed) => runDestroy(this, bothErrors(failed, error), callback));
  else
    runDestroy(this, error, callback);
  return this;
}

function undestroy() {
  const r = this._readableState;
  const w = this._writableState;
  if (r) {
    r.constructed = true;
    r.closed = r.closeEmitted = r.destroyed = false;
    r.errored = null;
    r.errorEmitted = r.reading = false;
    r.ended = r.endEmitted = r.readable === false;
  }
  if (w) {
    w.constructed = true;
    w.destroyed = w.closed = w.closeEmitted = false;
    w.errored = null;
    w.errorEmitted = w.finalCalled = w.prefinished = false;
    w.ended = w.ending = w.finished = w.writable === false;
  }
}

function errorOrDestroy(stream, error, sync) {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w?.destroyed || r?.destroyed) return;
  if (r?.autoDestroy || w?.autoDestroy) {
    stream.destroy(error);
  } else if (error) {
    note(error, w, r);
    if (sync) process.nextTick(emitError, stream, error);
    else emitError(stream, error);
  }
}

// A callback for a program's method that may call it once.
function once(stream, callback) {
  let called = false;
  return (error) => {
    if (called) {
      errorOrDestroy(stream, error ?? multipleCallback());
      return;
    }
    called = true;
    callback(error);
  };
}

function runConstruct(stream) {
  const done = once(stream, (error) => {
    const r = stream._readableState;
    const w = stream._writableState;
    if (r) r.constructed = true;
    if (w) w.constructed = true;
    if ((w || r).destroyed) stream.emit(kDestroy, error);
    else if (error) errorOrDestroy(stream, error, true);
    else stream.emit(kConstruct);
  });
  try {
    stream._construct((error) => process.nextTick(done, error));
  } catch (error) {
    process.nextTick(done, error);
  }
}

// Calls back when _construct, if there is one, is done.
function construct(stream, callback) {
  if (typeof stream._construct !== 'function') return;
  if (stream._readableState) stream._readableState.constructed = false;
  if (stream._writableState) stream._writableState.constructed = false;
  stream.once(kConstruct, callback);
  if (stream.listenerCount(kConstruct) > 1) return; // a Duplex comes here twice
  process.nextTick(runConstruct, stream);
}

module.exports = { bothErrors, construct, destroy, errorOrDestroy, multipleCallback, once, undestroy };
