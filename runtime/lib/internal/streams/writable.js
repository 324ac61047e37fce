'use strict';
// Writable: takes chunks one after the other, keeps what comes meanwhile, says when there
// is room again, and ends with 'finish'.

const { Buffer } = require('buffer');
const FastBuffer = require('internal/fast_buffer');
const Stream = require('internal/streams/legacy');
const { construct, destroy, errorOrDestroy, multipleCallback, once, undestroy } = require('internal/streams/destroy');
const { highWaterMarkOf } = require('internal/streams/state');
const { coded, invalidArgType } = require('internal/errors');

const nothing = () => {};
const destroyedError = (name) => coded(Error, 'ERR_STREAM_DESTROYED', `Cannot call ${name} after a stream was destroyed`);
const afterEnd = () => coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
const missing = (name) => coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `The ${name} method is not implemented`);
const unknownEncoding = (encoding) => coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);

class WritableState {
  constructor(options, stream, isDuplex) {
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.writableObjectMode));
    this.highWaterMark = highWaterMarkOf(this, options, 'writableHighWaterMark', isDuplex);
    this.finalCalled = false;
    this.needDrain = false;
    this.ending = false;
    this.ended = false;
    this.finished = false;
    this.destroyed = false;
    this.decodeStrings = options?.decodeStrings !== false;
    this.defaultEncoding = options?.defaultEncoding || 'utf8';
    this.length = 0;
    this.writing = false;
    this.corked = 0;
    this.sync = true;
    this.bufferProcessing = false;
    this.onwrite = (error) => onWrite(stream, this, error);
    this.writecb = null;
    this.writelen = 0;
    this.ticking = null; // writes that were done at once and are told in one tick
    this.afterWritePending = false;
    this.buffered = [];
    this.bufferedIndex = 0;
    this.allBuffers = true;
    this.pendingcb = 0;
    this.constructed = true;
    this.prefinished = false;
    this.errorEmitted = false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.errored = null;
    this.closed = false;
    this.closeEmitted = false;
    this.onFinished = [];
  }

  getBuffer() {
    return this.buffered.slice(this.bufferedIndex);
  }

  get bufferedRequestCount() {
    return this.buffered.length - this.bufferedIndex;
  }
}

function Writable(options) {
  const isDuplex = this instanceof require('internal/streams/duplex');
  if (!isDuplex && !Function.prototype[Symbol.hasInstance].call(Writable, this)) return new Writable(options);
  this._writableState = new WritableState(options, this, isDuplex);
  if (options) {
    if (typeof options.write === 'function') this._write = options.write;
    if (typeof options.writev === 'function') this._writev = options.writev;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.final === 'function') this._final = options.final;
    if (typeof options.construct === 'function') this._construct = options.construct;
  }
  Stream.call(this, options);
  if (options?.signal && !isDuplex) require('internal/streams/signal').addAbortSignal(options.signal, this);
  construct(this, () => {
    const state = this._writableState;
    if (!state.writing) clearBuffer(this, state);
    finishMaybe(this, state);
  });
}
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);
Writable.WritableState = WritableState;

// A Duplex is a Writable too, though it inherits from Readable.
Object.defineProperty(Writable, Symbol.hasInstance, {
  value(object) {
    if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
    return this === Writable && object?._writableState instanceof WritableState;
  },
});

Writable.prototype.pipe = function () {
  errorOrDestroy(this, coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
};

// --- writing ----------------------------------------------------------------------------------

const isKnownEncoding = (encoding) => encoding === 'utf8' || Buffer.isEncoding(encoding);

// True or false as write() returns it, or the error.
function writeChunk(stream, chunk, encoding, callback) {
  const state = stream._writableState;
  if (typeof callback !== 'function') callback = nothing;
  if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
  if (!state.objectMode) {
    if (!encoding) encoding = state.defaultEncoding;
    else if (encoding !== 'buffer' && !isKnownEncoding(encoding)) throw unknownEncoding(encoding);
    if (typeof chunk === 'string') {
      if (state.decodeStrings) {
        chunk = Buffer.from(chunk, encoding);
        encoding = 'buffer';
      }
    } else if (ArrayBuffer.isView(chunk)) {
      if (!(chunk instanceof FastBuffer)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      encoding = 'buffer';
    } else {
      throw invalidArgType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk);
    }
  }
  if (state.ending || state.destroyed) {
    const error = state.ending ? afterEnd() : destroyedError('write');
    process.nextTick(callback, error);
    errorOrDestroy(stream, error, true);
    return error;
  }
  state.pendingcb++;
  return writeOrBuffer(stream, state, chunk, encoding, callback);
}

function writeOrBuffer(stream, state, chunk, encoding, callback) {
  const length = state.objectMode ? 1 : chunk.length;
  state.length += length;
  if (state.writing || state.corked || state.errored || !state.constructed) {
    state.buffered.push({ chunk, encoding, callback });
    if (state.allBuffers && encoding !== 'buffer') state.allBuffers = false;
  } else {
    state.writelen = length;
    state.writecb = callback;
    state.writing = true;
    state.sync = true;
    stream._write(chunk, encoding, state.onwrite);
    state.sync = false;
  }
  const room = state.length < state.highWaterMark || state.length === 0;
  if (!room) state.needDrain = true;
  return room && !state.errored && !state.destroyed;
}

Writable.prototype.write = function (chunk, encoding, callback) {
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  return writeChunk(this, chunk, encoding, callback) === true;
};

Writable.prototype.cork = function () {
  this._writableState.corked++;
};

Writable.prototype.uncork = function () {
  const state = this._writableState;
  if (state.corked === 0) return;
  state.corked--;
  if (!state.writing) clearBuffer(this, state);
};

Writable.prototype.setDefaultEncoding = function (encoding) {
  if (typeof encoding === 'string') encoding = encoding.toLowerCase();
  if (!Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
  this._writableState.defaultEncoding = encoding;
  return this;
};

Writable.prototype._write = function (chunk, encoding, callback) {
  if (!this._writev) throw missing('_write()');
  this._writev([{ chunk, encoding }], callback);
};
Writable.prototype._writev = null;

function writeFailed(stream, state, error, callback) {
  state.pendingcb--;
  callback(error);
  failBuffered(state);
  errorOrDestroy(stream, error);
}

// What _write calls when it is done.
function onWrite(stream, state, error) {
  const { sync, writecb: callback } = state;
  if (typeof callback !== 'function') {
    errorOrDestroy(stream, multipleCallback());
    return;
  }
  state.writing = false;
  state.writecb = null;
  state.length -= state.writelen;
  state.writelen = 0;
  if (error) {
    if (!state.errored) state.errored = error;
    if (stream._readableState && !stream._readableState.errored) stream._readableState.errored = error;
    if (sync) process.nextTick(writeFailed, stream, state, error, callback);
    else writeFailed(stream, state, error, callback);
    return;
  }
  if (state.buffered.length > state.bufferedIndex) clearBuffer(stream, state);
  if (!sync) {
    afterWrite(stream, state, 1, callback);
  } else if (callback === nothing) {
    // Nobody waits for this write: a tick is needed for 'drain' only. (And in object mode,
    // where Node takes one too.)
    if (!state.afterWritePending && ((state.needDrain && state.length === 0) || state.objectMode)) {
      state.afterWritePending = true;
      process.nextTick(afterWrite, stream, state, 1, callback);
    } else {
      state.pendingcb--;
      if (state.ending) finishMaybe(stream, state, true);
    }
  } else if (state.ticking !== null && state.ticking.callback === callback) {
    state.ticking.count++;
  } else {
    state.ticking = { stream, state, count: 1, callback };
    process.nextTick(afterWriteTick, state.ticking);
  }
}

function afterWriteTick({ stream, state, count, callback }) {
  state.ticking = null;
  afterWrite(stream, state, count, callback);
}

function afterWrite(stream, state, count, callback) {
  state.afterWritePending = false;
  if (state.needDrain && !state.ending && !state.destroyed && state.length === 0) {
    state.needDrain = false;
    stream.emit('drain');
  }
  while (count-- > 0) {
    state.pendingcb--;
    callback(null);
  }
  if (state.destroyed) failBuffered(state);
  if (state.ending) finishMaybe(stream, state, true);
}

// The writes that will not be made any more.
function failBuffered(state) {
  if (state.writing) return;
  for (let i = state.bufferedIndex; i < state.buffered.length; i++) {
    const { chunk, callback } = state.buffered[i];
    state.length -= state.objectMode ? 1 : chunk.length;
    callback(state.errored ?? destroyedError('write'));
  }
  for (const callback of state.onFinished.splice(0)) callback(state.errored ?? destroyedError('end'));
  resetBuffer(state);
}

function resetBuffer(state) {
  state.buffered = [];
  state.bufferedIndex = 0;
  state.allBuffers = true;
}

function writeNow(stream, state, many, length, chunk, encoding, callback) {
  state.writelen = length;
  state.writecb = callback;
  state.writing = true;
  state.sync = true;
  if (state.destroyed) state.onwrite(destroyedError('write'));
  else if (many) stream._writev(chunk, state.onwrite);
  else stream._write(chunk, encoding, state.onwrite);
  state.sync = false;
}

// Writes what was kept, at once if the stream can.
function clearBuffer(stream, state) {
  if (state.corked || state.bufferProcessing || state.destroyed || !state.constructed) return;
  const { buffered } = state;
  const waiting = buffered.length - state.bufferedIndex;
  if (waiting === 0) return;
  state.bufferProcessing = true;
  if (waiting > 1 && stream._writev) {
    const items = state.bufferedIndex === 0 ? buffered : buffered.slice(state.bufferedIndex);
    items.allBuffers = state.allBuffers;
    state.pendingcb -= waiting - 1;
    const callback = items.every((item) => item.callback === nothing) ? nothing : (error) => {
      for (const item of items) item.callback(error);
    };
    const { length } = state;
    resetBuffer(state);
    writeNow(stream, state, true, length, items, '', callback);
  } else {
    let i = state.bufferedIndex;
    do {
      const { chunk, encoding, callback } = buffered[i];
      buffered[i++] = null;
      writeNow(stream, state, false, state.objectMode ? 1 : chunk.length, chunk, encoding, callback);
    } while (i < buffered.length && !state.writing);
    if (i === buffered.length) {
      resetBuffer(state);
    } else if (i > 256) {
      buffered.splice(0, i);
      state.bufferedIndex = 0;
    } else {
      state.bufferedIndex = i;
    }
  }
  state.bufferProcessing = false;
}

// --- the end ---------------------------------------------------------------------------------------

Writable.prototype.end = function (chunk, encoding, callback) {
  const state = this._writableState;
  if (typeof chunk === 'function') [chunk, encoding, callback] = [null, null, chunk];
  else if (typeof encoding === 'function') [encoding, callback] = [null, encoding];
  let error;
  if (chunk !== null && chunk !== undefined) {
    const result = writeChunk(this, chunk, encoding);
    if (result instanceof Error) error = result;
  }
  if (state.corked) {
    state.corked = 1;
    this.uncork();
  }
  if (error === undefined) {
    if (!state.errored && !state.ending) {
      // finishMaybe may be called from a write's callback too, so it is told that this
      // call comes from end(), where 'finish' may not come at once.
      state.ending = true;
      finishMaybe(this, state, true);
      state.ended = true;
    } else if (state.finished) {
      error = coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished');
    } else if (state.destroyed) {
      error = destroyedError('end');
    }
  }
  if (typeof callback === 'function') {
    if (error) process.nextTick(callback, error);
    else if (state.errored) process.nextTick(callback, state.errored);
    else if (state.finished) process.nextTick(callback, null);
    else state.onFinished.push(callback);
  }
  return this;
};

function needsFinish(state) {
  return state.ending && !state.destroyed && state.constructed && state.length === 0 && !state.errored &&
    state.buffered.length === 0 && !state.bufferProcessing && !state.finished && !state.writing && !state.errorEmitted && !state.closeEmitted;
}

function callFinal(stream, state) {
  const done = once(stream, (error) => {
    state.pendingcb--;
    if (error) {
      for (const callback of state.onFinished.splice(0)) callback(error);
      errorOrDestroy(stream, error, state.sync);
    } else if (needsFinish(state)) {
      state.prefinished = true;
      stream.emit('prefinish');
      // 'finish' comes in a tick, as if _final had been asynchronous.
      state.pendingcb++;
      process.nextTick(finish, stream, state);
    }
  });
  state.sync = true;
  state.pendingcb++;
  try {
    stream._final(done);
  } catch (error) {
    done(error);
  }
  state.sync = false;
}

function prefinish(stream, state) {
  if (state.prefinished || state.finalCalled) return;
  if (typeof stream._final === 'function' && !state.destroyed) {
    state.finalCalled = true;
    callFinal(stream, state);
  } else {
    state.prefinished = true;
    stream.emit('prefinish');
  }
}

function finishLater(stream, state) {
  if (needsFinish(state)) finish(stream, state);
  else state.pendingcb--;
}

function finishMaybe(stream, state, sync) {
  if (!needsFinish(state)) return;
  prefinish(stream, state);
  if (state.pendingcb !== 0) return;
  if (sync) {
    state.pendingcb++;
    process.nextTick(finishLater, stream, state);
  } else if (needsFinish(state)) {
    state.pendingcb++;
    finish(stream, state);
  }
}

function finish(stream, state) {
  state.pendingcb--;
  state.finished = true;
  for (const callback of state.onFinished.splice(0)) callback(null);
  stream.emit('finish');
  if (!state.autoDestroy) return;
  const r = stream._readableState;
  if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false))) stream.destroy();
}

Writable.prototype.destroy = function (error, callback) {
  const state = this._writableState;
  if (!state.destroyed && (state.bufferedIndex < state.buffered.length || state.onFinished.length > 0))
    process.nextTick(failBuffered, state);
  destroy.call(this, error, callback);
  return this;
};

Writable.prototype._undestroy = undestroy;
Writable.prototype._destroy = function (error, callback) {
  callback(error);
};

Writable.prototype[Symbol.for('nodejs.rejection')] = function (error) {
  this.destroy(error);
};

// --- what can be asked ---------------------------------------------------------------------------------

const { prototype } = Writable;
function property(name, get, set) {
  Object.defineProperty(prototype, name, { get, set, configurable: true, enumerable: false });
}
property('closed', function () { return this._writableState ? this._writableState.closed : false; });
property('destroyed', function () { return this._writableState ? this._writableState.destroyed : false; },
  function (value) { if (this._writableState) this._writableState.destroyed = value; });
property('writable', function () {
  const w = this._writableState;
  return Boolean(w) && w.writable !== false && !w.destroyed && !w.errored && !w.ending && !w.ended;
}, function (value) { if (this._writableState) this._writableState.writable = Boolean(value); });
property('writableFinished', function () { return this._writableState ? this._writableState.finished : false; });
property('writableObjectMode', function () { return this._writableState ? this._writableState.objectMode : false; });
property('writableBuffer', function () { return this._writableState?.getBuffer(); });
property('writableEnded', function () { return this._writableState ? this._writableState.ending : false; });
property('writableNeedDrain', function () {
  const w = this._writableState;
  return w ? !w.destroyed && !w.ending && w.needDrain : false;
});
property('writableHighWaterMark', function () { return this._writableState?.highWaterMark; });
property('writableCorked', function () { return this._writableState ? this._writableState.corked : 0; });
property('writableLength', function () { return this._writableState?.length; });
property('errored', function () { return this._writableState ? this._writableState.errored : null; });
property('writableAborted', function () {
  const w = this._writableState;
  return Boolean(w.writable !== false && (w.destroyed || w.errored) && !w.finished);
});

module.exports = Writable;
