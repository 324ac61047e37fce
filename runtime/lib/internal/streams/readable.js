'use strict';
// Readable: keeps what comes from its source until it is read, asks for more when there
// is room, and ends with 'end'. This file is the state and what reads; flow.js has
// piping, pausing and iterating.

const { Buffer } = require('buffer');
const FastBuffer = require('internal/fast_buffer');
const Stream = require('internal/streams/legacy');
const { construct, destroy, errorOrDestroy, undestroy } = require('internal/streams/destroy');
const { highWaterMarkOf } = require('internal/streams/state');
const { coded, invalidArgType } = require('internal/errors');

const MAX_HWM = 0x40000000;
const kPaused = Symbol('kPaused');

class ReadableState {
  constructor(options, stream, isDuplex) {
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.readableObjectMode));
    this.highWaterMark = highWaterMarkOf(this, options, 'readableHighWaterMark', isDuplex);
    this.buffer = [];
    this.bufferIndex = 0; // of the first chunk that isn't read
    this.length = 0;
    this.pipes = [];
    this.flowing = null;
    this.ended = false;
    this.endEmitted = false;
    this.reading = false;
    this.constructed = true;
    this.sync = true; // false while _read answers later than it was asked
    this.needReadable = false;
    this.emittedReadable = false;
    this.readableListening = false;
    this.resumeScheduled = false;
    this[kPaused] = null;
    this.errorEmitted = false;
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.destroyed = false;
    this.errored = null;
    this.closed = false;
    this.closeEmitted = false;
    this.defaultEncoding = options?.defaultEncoding || 'utf8';
    this.awaitDrainWriters = null; // one writer, or a Set when there are several
    this.multiAwaitDrain = false;
    this.readingMore = false;
    this.dataEmitted = false;
    this.decoder = null;
    this.encoding = null;
    if (options?.encoding) setDecoder(this, options.encoding);
  }

  get paused() {
    return this[kPaused] !== false;
  }

  get pipesCount() {
    return this.pipes.length;
  }
}

function setDecoder(state, encoding) {
  const { StringDecoder } = require('string_decoder');
  state.decoder = new StringDecoder(encoding);
  state.encoding = state.decoder.encoding;
}

function Readable(options) {
  if (!(this instanceof Readable)) return new Readable(options);
  const isDuplex = this instanceof require('internal/streams/duplex');
  this._readableState = new ReadableState(options, this, isDuplex);
  if (options) {
    if (typeof options.read === 'function') this._read = options.read;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.construct === 'function') this._construct = options.construct;
  }
  Stream.call(this, options);
  if (options?.signal && !isDuplex) require('internal/streams/signal').addAbortSignal(options.signal, this);
  construct(this, () => {
    if (this._readableState.needReadable) maybeReadMore(this, this._readableState);
  });
}
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);
Readable.ReadableState = ReadableState;

Readable.prototype.destroy = destroy;
Readable.prototype._undestroy = undestroy;
Readable.prototype._destroy = function (error, callback) {
  callback(error);
};
Readable.prototype[Symbol.for('nodejs.rejection')] = function (error) {
  this.destroy(error);
};
Readable.prototype._read = function () {
  throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _read() method is not implemented');
};

// --- what comes in ------------------------------------------------------------------------------

Readable.prototype.push = function (chunk, encoding) {
  return addToStream(this, chunk, encoding, false);
};

Readable.prototype.unshift = function (chunk, encoding) {
  return addToStream(this, chunk, encoding, true);
};

// Bytes and text as they are kept: [chunk, encoding].
function normalizeChunk(state, chunk, encoding, front) {
  if (typeof chunk === 'string') {
    encoding ||= state.defaultEncoding;
    if (state.encoding === encoding) return [chunk, encoding];
    const bytes = Buffer.from(chunk, encoding);
    return front && state.encoding ? [bytes.toString(state.encoding), encoding] : [bytes, ''];
  }
  if (ArrayBuffer.isView(chunk))
    return [Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), ''];
  if (chunk === undefined || chunk === null) return [chunk, encoding];
  throw invalidArgType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk);
}

function addToStream(stream, chunk, encoding, front) {
  const state = stream._readableState;
  if (!state.objectMode && chunk instanceof FastBuffer) {
    encoding = '';
  } else if (!state.objectMode && chunk !== null) {
    try {
      [chunk, encoding] = normalizeChunk(state, chunk, encoding, front);
    } catch (error) {
      errorOrDestroy(stream, error);
      return false;
    }
  }
  if (chunk === null) {
    state.reading = false;
    onEof(stream, state);
  } else if (state.objectMode || (chunk && chunk.length > 0)) {
    if (front) {
      if (state.endEmitted)
        errorOrDestroy(stream, coded(Error, 'ERR_STREAM_UNSHIFT_AFTER_END_EVENT', 'stream.unshift() after end event'));
      else if (state.destroyed || state.errored) return false;
      else addChunk(stream, state, chunk, true);
    } else if (state.ended) {
      errorOrDestroy(stream, coded(Error, 'ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'));
    } else if (state.destroyed || state.errored) {
      return false;
    } else {
      state.reading = false;
      if (state.decoder && !encoding) {
        chunk = state.decoder.write(chunk);
        if (state.objectMode || chunk.length !== 0) addChunk(stream, state, chunk, false);
        else maybeReadMore(stream, state);
      } else {
        addChunk(stream, state, chunk, false);
      }
    }
  } else if (!front) {
    state.reading = false;
    maybeReadMore(stream, state);
  }
  return !state.ended && (state.length < state.highWaterMark || state.length === 0);
}

function forgetDrains(state) {
  if (state.multiAwaitDrain) state.awaitDrainWriters.clear();
  else state.awaitDrainWriters = null;
}

function addChunk(stream, state, chunk, front) {
  if (state.flowing && state.length === 0 && !state.sync && stream.listenerCount('data') > 0) {
    forgetDrains(state);
    state.dataEmitted = true;
    stream.emit('data', chunk);
  } else {
    state.length += state.objectMode ? 1 : chunk.length;
    if (!front) state.buffer.push(chunk);
    else if (state.bufferIndex > 0) state.buffer[--state.bufferIndex] = chunk;
    else state.buffer.unshift(chunk);
    if (state.needReadable) emitReadable(stream);
  }
  maybeReadMore(stream, state);
}

function onEof(stream, state) {
  if (state.ended) return;
  if (state.decoder) {
    const chunk = state.decoder.end();
    if (chunk && chunk.length > 0) {
      state.buffer.push(chunk);
      state.length += state.objectMode ? 1 : chunk.length;
    }
  }
  state.ended = true;
  if (state.sync) {
    // Inside _read: there may be listeners to come in this tick.
    emitReadable(stream);
  } else {
    state.needReadable = false;
    state.emittedReadable = true;
    emitReadableNow(stream);
  }
}

function emitReadable(stream) {
  const state = stream._readableState;
  state.needReadable = false;
  if (state.emittedReadable) return;
  state.emittedReadable = true;
  process.nextTick(emitReadableNow, stream);
}

function emitReadableNow(stream) {
  const state = stream._readableState;
  if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
    stream.emit('readable');
    state.emittedReadable = false;
  }
  state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
  flow(stream);
}

function flow(stream) {
  const state = stream._readableState;
  while (state.flowing && stream.read() !== null);
}

function maybeReadMore(stream, state) {
  if (state.readingMore || !state.constructed) return;
  state.readingMore = true;
  process.nextTick(readMore, stream, state);
}

function readMore(stream, state) {
  while (!state.reading && !state.ended &&
         (state.length < state.highWaterMark || (state.flowing && state.length === 0))) {
    const { length } = state;
    stream.read(0);
    if (length === state.length) break; // nothing came: _read answers later
  }
  state.readingMore = false;
}

// --- what goes out --------------------------------------------------------------------------------

function nextPowerOfTwo(n) {
  if (n >= MAX_HWM) return MAX_HWM;
  return 2 ** Math.ceil(Math.log2(Math.max(1, n)));
}

function howMuch(n, state) {
  if (n <= 0 || (state.length === 0 && state.ended)) return 0;
  if (state.objectMode) return 1;
  if (Number.isNaN(n))
    return state.flowing && state.length > 0 ? state.buffer[state.bufferIndex].length : state.length;
  if (n <= state.length) return n;
  return state.ended ? state.length : 0;
}

Readable.prototype.read = function (n) {
  const state = this._readableState;
  if (n === undefined) n = NaN;
  else if (!Number.isInteger(n)) n = Number.parseInt(n, 10);
  const asked = n;
  if (n > state.highWaterMark) state.highWaterMark = nextPowerOfTwo(n);
  if (n !== 0) state.emittedReadable = false;
  // read(0) is for the source: it makes the event, not the data, come.
  if (n === 0 && state.needReadable &&
      ((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) || state.ended)) {
    if (state.length === 0 && state.ended) endReadable(this);
    else emitReadable(this);
    return null;
  }
  n = howMuch(n, state);
  if (n === 0 && state.ended) {
    if (state.length === 0) endReadable(this);
    return null;
  }
  let wanted = state.needReadable;
  if (state.length === 0 || state.length - n < state.highWaterMark) wanted = true;
  if (wanted && !state.ended && !state.reading && !state.destroyed && !state.errored && state.constructed) {
    state.reading = true;
    state.sync = true;
    if (state.length === 0) state.needReadable = true;
    try {
      this._read(state.highWaterMark);
    } catch (error) {
      errorOrDestroy(this, error);
    }
    state.sync = false;
    if (!state.reading) n = howMuch(asked, state);
  }
  const chunk = n > 0 ? take(n, state) : null;
  if (chunk === null) {
    state.needReadable = state.length <= state.highWaterMark;
    n = 0;
  } else {
    state.length -= n;
    forgetDrains(state);
  }
  if (state.length === 0) {
    if (!state.ended) state.needReadable = true;
    if (asked !== n && state.ended) endReadable(this);
  }
  if (chunk !== null && !state.errorEmitted && !state.closeEmitted) {
    state.dataEmitted = true;
    this.emit('data', chunk);
  }
  return chunk;
};

function shift(state) {
  const chunk = state.buffer[state.bufferIndex];
  state.buffer[state.bufferIndex++] = undefined;
  if (state.bufferIndex === state.buffer.length) {
    state.buffer.length = 0;
    state.bufferIndex = 0;
  } else if (state.bufferIndex > 1024) {
    state.buffer.splice(0, state.bufferIndex);
    state.bufferIndex = 0;
  }
  return chunk;
}

// Takes n bytes, characters or one object off the front.
function take(n, state) {
  if (state.length === 0) return null;
  if (state.objectMode) return shift(state);
  const first = state.buffer[state.bufferIndex];
  if (n >= state.length) {
    const chunks = state.bufferIndex > 0 ? state.buffer.slice(state.bufferIndex) : state.buffer;
    state.buffer = [];
    state.bufferIndex = 0;
    if (chunks.length === 1) return chunks[0];
    return state.decoder ? chunks.join('') : Buffer.concat(chunks, state.length);
  }
  if (n === first.length) return shift(state);
  if (n < first.length) {
    state.buffer[state.bufferIndex] = first.slice(n);
    return first.slice(0, n);
  }
  const parts = [];
  for (let left = n; left > 0;) {
    const chunk = state.buffer[state.bufferIndex];
    if (chunk.length <= left) {
      parts.push(shift(state));
    } else {
      parts.push(chunk.slice(0, left));
      state.buffer[state.bufferIndex] = chunk.slice(left);
    }
    left -= parts[parts.length - 1].length;
  }
  return state.decoder ? parts.join('') : Buffer.concat(parts, n);
}

// --- the end ------------------------------------------------------------------------------------------

function endReadable(stream) {
  const state = stream._readableState;
  if (state.endEmitted) return;
  state.ended = true;
  process.nextTick(emitEnd, state, stream);
}

function emitEnd(state, stream) {
  if (state.errored || state.closeEmitted || state.endEmitted || state.length !== 0) return;
  state.endEmitted = true;
  stream.emit('end');
  if (stream.writable && stream.allowHalfOpen === false) {
    process.nextTick(endOther, stream);
  } else if (state.autoDestroy) {
    const w = stream._writableState;
    if (!w || (w.autoDestroy && (w.finished || w.writable === false))) stream.destroy();
  }
}

function endOther(stream) {
  if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
}

Readable.prototype.setEncoding = function (encoding) {
  const state = this._readableState;
  setDecoder(state, encoding);
  let text = '';
  for (const chunk of state.buffer.slice(state.bufferIndex)) text += state.decoder.write(chunk);
  state.buffer = text === '' ? [] : [text];
  state.bufferIndex = 0;
  state.length = text.length;
  return this;
};

// --- what can be asked --------------------------------------------------------------------------------

function property(name, get, set) {
  Object.defineProperty(Readable.prototype, name, { get, set, configurable: true, enumerable: false });
}
property('readable', function () {
  const r = this._readableState;
  return Boolean(r) && r.readable !== false && !r.destroyed && !r.errorEmitted && !r.endEmitted;
}, function (value) { if (this._readableState) this._readableState.readable = Boolean(value); });
property('readableDidRead', function () { return this._readableState.dataEmitted; });
property('readableAborted', function () {
  const r = this._readableState;
  return Boolean(r.readable !== false && (r.destroyed || r.errored) && !r.endEmitted);
});
property('readableHighWaterMark', function () { return this._readableState.highWaterMark; });
property('readableBuffer', function () { return this._readableState?.buffer.slice(this._readableState.bufferIndex); });
property('readableFlowing', function () { return this._readableState.flowing; },
  function (value) { if (this._readableState) this._readableState.flowing = value; });
property('readableLength', function () { return this._readableState.length; });
property('readableObjectMode', function () { return this._readableState ? this._readableState.objectMode : false; });
property('readableEncoding', function () { return this._readableState ? this._readableState.encoding : null; });
property('errored', function () { return this._readableState ? this._readableState.errored : null; });
property('closed', function () { return this._readableState ? this._readableState.closed : false; });
property('destroyed', function () { return this._readableState ? this._readableState.destroyed : false; },
  function (value) { if (this._readableState) this._readableState.destroyed = value; });
property('readableEnded', function () { return this._readableState ? this._readableState.endEmitted : false; });

Readable._fromList = take;
module.exports = Readable;
Object.assign(Readable, { [Symbol.for('rondo.flow')]: { emitReadable, flow, kPaused } });
require('internal/streams/flow');
