'use strict';
// Readable: keeps the data of its source until it is read, reads more when there is room, and ends
// with 'end'. This file has the state and the reading; flow.js has listening, pausing, piping and
// iterating.

// own methods: state.chunks, this.chunks
const { ArrayBufferIsView, NumberIsInteger, NumberIsNaN, NumberParseInt, SymbolFor, arrayJoin, arrayMap, over } = intrinsics;
const { Buffer } = require('buffer');
const ChunkQueue = require('internal/streams/chunks');
const FastBuffer = require('internal/fast_buffer');
const Stream = require('internal/streams/legacy');
const { construct, destroy, errorOrDestroy, undestroy } = require('internal/streams/destroy');
const { defaultEncodingOf, highWaterMarkOf } = require('internal/streams/state');
const { coded, invalidArgType, outOfRange } = require('internal/errors');

const LARGEST_ROOM = 2 ** 30;
const NOTHING = Object.freeze({});

class ReadableState {
  constructor(options, stream, isDuplex) {
    const given = options ?? NOTHING;
    // The program's options.
    this.objectMode = Boolean(given.objectMode || (isDuplex && given.readableObjectMode));
    this.highWaterMark = highWaterMarkOf(this, options, 'readableHighWaterMark', isDuplex);
    this.defaultEncoding = defaultEncodingOf(options);
    this.autoDestroy = given.autoDestroy !== false;
    this.emitClose = given.emitClose !== false;
    this.decoder = null;
    this.encoding = null;

    // The unread data, and its consumers.
    this.length = 0; // bytes, characters or objects
    this.chunks = new ChunkQueue();
    this.flowing = null; // null until the program wants it to flow or to be paused
    this.held = null; // true after pause(), false after resume()
    this.resumeScheduled = false;
    this.pipes = [];
    this.full = null; // a Set: the pipes' targets whose 'drain' is awaited
    this.fansOut = false; // piped to several targets

    // The state of the source.
    this.constructed = true;
    this.reading = false; // _read was called and has not pushed yet
    this.sync = true; // _read has not returned yet
    this.readingMore = false; // will check whether to read more

    // The state of the events.
    this.readableListening = false;
    this.needReadable = false; // 'readable' is to be emitted when data comes
    this.emittedReadable = false;
    this.dataEmitted = false;
    this.ended = false;
    this.endEmitted = false;
    this.errored = null;
    this.errorEmitted = false;
    this.destroyed = false;
    this.closed = false;
    this.closeEmitted = false;

    if (given.encoding) {
      decodeAs(this, given.encoding);
      this.encoding = given.encoding; // as it was given; setEncoding() sets its proper name
    }
  }

  // Programs read the chunks as a list, and empty it by setting one.
  get buffer() {
    return this.chunks.waiting();
  }

  set buffer(list) {
    this.chunks.replace(list);
  }

  get paused() {
    return this.held === true;
  }

  get pipesCount() {
    return this.pipes.length;
  }
}

function decodeAs(state, encoding) {
  const { StringDecoder } = require('string_decoder');
  const decoder = new StringDecoder(encoding);
  state.decoder = decoder;
  state.encoding = decoder.encoding;
}

// Options that replace methods of a subclass.
const METHODS = Object.entries({ read: '_read', destroy: '_destroy', construct: '_construct' });

function Readable(options) {
  if (!(this instanceof Readable)) return new Readable(options);
  this._events ??= { close: undefined, error: undefined, data: undefined, end: undefined, readable: undefined };
  const isDuplex = this instanceof require('internal/streams/duplex');
  const state = new ReadableState(options, this, isDuplex);
  this._readableState = state;
  if (options)
    for (const { 0: option, 1: method } of over(METHODS))
      if (typeof options[option] === 'function') this[method] = options[option];
  Reflect.apply(Stream, this, [options]);
  // A Duplex handles the signal and the end of both halves itself.
  if (!isDuplex && options?.signal) require('internal/streams/signal').addAbortSignal(options.signal, this);
  construct(this, () => {
    if (state.needReadable) lookForMore(this, state);
  });
}
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);

Object.assign(Readable.prototype, {
  destroy,
  _undestroy: undestroy,
  _destroy(error, callback) {
    callback(error);
  },
  _read() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _read() method is not implemented');
  },
  [SymbolFor('nodejs.rejection')](error) {
    this.destroy(error);
  },
});

// --- what comes in ------------------------------------------------------------------------------

Readable.prototype.push = function (chunk, encoding) {
  const state = this._readableState;
  if (chunk === null) return sourceEnded(this, state);
  let piece = chunk;
  let isDecoded = Boolean(encoding);
  if (!state.objectMode) {
    if (!(chunk instanceof FastBuffer)) piece = toBytesOrText(this, state, chunk, encoding, false);
    if (piece === REFUSED) return false;
    isDecoded = typeof piece === 'string';
    if (piece === undefined || piece.length === 0) {
      // An empty chunk: _read may be called again.
      state.reading = false;
      lookForMore(this, state);
      return hasRoom(state);
    }
  }
  if (state.ended) {
    errorOrDestroy(this, coded(Error, 'ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'));
    return hasRoom(state);
  }
  if (state.destroyed || state.errored) return false;
  state.reading = false;
  if (state.decoder !== null && !isDecoded) {
    piece = state.decoder.write(piece);
    // The chunk may be the beginning of a character only.
    if (!state.objectMode && piece.length === 0) {
      lookForMore(this, state);
      return hasRoom(state);
    }
  }
  if (!handOver(this, state, piece)) {
    state.chunks.push(piece);
    kept(this, state, piece);
  }
  lookForMore(this, state);
  return hasRoom(state);
};

Readable.prototype.unshift = function (chunk, encoding) {
  const state = this._readableState;
  if (chunk === null) return sourceEnded(this, state);
  let piece = chunk;
  if (!state.objectMode) {
    piece = toBytesOrText(this, state, chunk, encoding, true);
    if (piece === REFUSED) return false;
    if (!piece?.length) return hasRoom(state);
  }
  if (state.endEmitted) {
    errorOrDestroy(this,
      coded(Error, 'ERR_STREAM_UNSHIFT_AFTER_END_EVENT', 'stream.unshift() after end event'));
    return hasRoom(state);
  }
  if (state.destroyed || state.errored) return false;
  if (!handOver(this, state, piece)) {
    state.chunks.putBack(piece);
    kept(this, state, piece);
  }
  lookForMore(this, state);
  return hasRoom(state);
};

// The result of push() and unshift(): whether the source may continue.
function hasRoom(state) {
  return !state.ended && (state.length === 0 || state.length < state.highWaterMark);
}

const REFUSED = Symbol('refused');

// A chunk in the form that is stored: a Buffer, or text that is already in the stream's own
// encoding.
function toBytesOrText(stream, state, chunk, encoding, isBack) {
  if (chunk instanceof FastBuffer || chunk === undefined) return chunk;
  if (typeof chunk === 'string') {
    const from = encoding || state.defaultEncoding;
    if (from === state.encoding) return chunk;
    const bytes = Buffer.from(chunk, from); // an unknown encoding throws
    // Text that is put back has been decoded before and isn't decoded again.
    return isBack && state.encoding ? bytes.toString(state.encoding) : bytes;
  }
  if (Buffer.isBuffer(chunk)) return chunk;
  if (ArrayBufferIsView(chunk)) {
    const { buffer, byteOffset, byteLength } = chunk;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
  errorOrDestroy(stream,
    invalidArgType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk));
  return REFUSED;
}

// A chunk with no others before it goes straight to the listener, unless it was pushed inside
// _read: then the caller of read() gets it first. Returns whether it went to the listener.
function handOver(stream, state, chunk) {
  if (!state.flowing || state.length > 0 || state.sync || stream.listenerCount('data') === 0) return false;
  forgetDrains(state);
  state.dataEmitted = true;
  stream.emit('data', chunk);
  return true;
}

function kept(stream, state, chunk) {
  state.length += state.objectMode ? 1 : chunk.length;
  if (state.needReadable) announce(stream);
}

function forgetDrains(state) {
  if (state.full !== null && state.full.size > 0) state.full.clear();
}

function sourceEnded(stream, state) {
  state.reading = false;
  if (state.ended) return false;
  const rest = state.decoder?.end();
  if (rest) {
    state.chunks.push(rest);
    state.length += state.objectMode ? 1 : rest.length;
  }
  state.ended = true;
  if (state.sync) {
    // Inside _read: listeners may still be added in this tick.
    announce(stream);
  } else {
    state.needReadable = false;
    state.emittedReadable = true;
    emitReadable(stream);
  }
  return false;
}

// --- 'readable' -----------------------------------------------------------------------------------

// Emits 'readable' in the next tick, once for all data until then.
function announce(stream) {
  const state = stream._readableState;
  state.needReadable = false;
  if (!state.emittedReadable) {
    state.emittedReadable = true;
    process.nextTick(emitReadable, stream);
  }
}

function emitReadable(stream) {
  const state = stream._readableState;
  const isAlive = !state.errored && !state.destroyed;
  if (isAlive && (state.ended || state.length > 0)) {
    stream.emit('readable');
    state.emittedReadable = false;
  }
  state.needReadable = !(state.flowing || state.ended || state.length > state.highWaterMark);
  flow(stream);
}

// Reads until the stream is paused; read() emits 'data'.
function flow(stream) {
  const state = stream._readableState;
  while (state.flowing)
    if (stream.read() === null) break;
}

// --- asking the source ------------------------------------------------------------------------------

// Whether to call _read when `portion` is about to be taken.
function wantsMore(state, portion) {
  if (state.reading || state.ended || state.destroyed || state.errored || !state.constructed) return false;
  const left = state.length - portion;
  return state.needReadable || state.length === 0 || left < state.highWaterMark;
}

// Calls _read; returns whether it has pushed at once.
function ask(stream, state) {
  state.reading = state.sync = true;
  if (state.length === 0) state.needReadable = true;
  try {
    stream._read(state.highWaterMark);
  } catch (error) {
    errorOrDestroy(stream, error);
  }
  state.sync = false;
  return !state.reading;
}

// Fills the queue, in a tick of its own, so that a source that pushes at once doesn't push within
// its own push().
function lookForMore(stream, state) {
  if (!state.readingMore && state.constructed) {
    state.readingMore = true;
    process.nextTick(fillUp, stream, state);
  }
}

function fillUp(stream, state) {
  let before = -1; // ends when _read brings nothing: the data comes later
  while (state.length !== before && !state.reading && !state.ended) {
    before = state.length;
    const isShort = before < state.highWaterMark || (before === 0 && state.flowing);
    if (!isShort) break;
    stream.read(0);
  }
  state.readingMore = false;
}

// --- what goes out --------------------------------------------------------------------------------

// How much of the waiting data read(asked) returns; without a number (NaN) everything, or the first
// chunk while the stream flows.
function portionOf(state, asked) {
  const { length } = state;
  if (asked <= 0 || (length === 0 && state.ended)) return 0;
  if (state.objectMode) return 1;
  if (NumberIsNaN(asked)) return length > 0 && state.flowing ? state.chunks.first().length : length;
  if (asked > length) return state.ended ? length : 0;
  return asked;
}

// A read() of more than the highWaterMark raises it, in powers of two.
function widen(state, asked) {
  if (asked > LARGEST_ROOM) throw outOfRange('size', '<= 1GiB', asked);
  let room = 1;
  while (room < asked) room *= 2;
  state.highWaterMark = room;
}

function takeChunk(state, portion) {
  const { chunks, length } = state;
  if (portion === 0 || length === 0) return null;
  if (state.objectMode) return chunks.next();
  const isText = state.decoder !== null;
  return portion < length ? chunks.takePart(portion, isText) : chunks.takeAll(length, isText);
}

// read(0) only triggers events and _read. Returns whether there is nothing more to do.
function onlyNotifies(stream, state) {
  const isFull = state.length >= Math.max(state.highWaterMark, 1);
  if (!state.needReadable || !(isFull || state.ended)) return false;
  if (state.ended && state.length === 0) endSoon(stream, state);
  else announce(stream);
  return true;
}

Readable.prototype.read = function (n) {
  const state = this._readableState;
  let asked = NaN;
  if (n !== undefined) asked = NumberIsInteger(n) ? n : NumberParseInt(n, 10);
  if (asked > state.highWaterMark) widen(state, asked);
  if (asked !== 0) state.emittedReadable = false;
  else if (onlyNotifies(this, state)) return null;

  let portion = portionOf(state, asked);
  if (state.ended && portion === 0) {
    if (state.length === 0) endSoon(this, state);
    return null;
  }
  if (wantsMore(state, portion) && ask(this, state)) portion = portionOf(state, asked);

  const chunk = takeChunk(state, portion);
  if (chunk === null) {
    portion = 0;
    state.needReadable = state.length <= state.highWaterMark;
  } else {
    state.length -= portion;
    forgetDrains(state);
  }
  if (state.length === 0) {
    if (!state.ended) state.needReadable = true;
    else if (portion !== asked) endSoon(this, state);
  }
  if (chunk !== null && !state.closeEmitted && !state.errorEmitted) {
    state.dataEmitted = true;
    this.emit('data', chunk);
  }
  return chunk;
};

Readable.prototype.setEncoding = function (encoding) {
  const state = this._readableState;
  decodeAs(state, encoding);
  const text = arrayJoin.call(arrayMap.call(state.chunks.waiting(), (chunk) => state.decoder.write(chunk)), '');
  state.length = text.length;
  state.chunks.replace(text === '' ? [] : [text]);
  return this;
};

// --- the end ------------------------------------------------------------------------------------------

function endSoon(stream, state) {
  if (state.endEmitted) return;
  state.ended = true;
  process.nextTick(emitEnd, stream, state);
}

function emitEnd(stream, state) {
  // Meanwhile the stream may have failed, closed, ended, or got data back by unshift().
  if (state.length > 0 || state.endEmitted || state.closeEmitted || state.errored) return;
  state.endEmitted = true;
  stream.emit('end');
  if (stream.allowHalfOpen === false && stream.writable) process.nextTick(endOtherHalf, stream);
  else if (state.autoDestroy && otherHalfIsDone(stream._writableState)) stream.destroy();
}

function endOtherHalf(stream) {
  if (!stream.destroyed && !stream.writableEnded && stream.writable) stream.end();
}

function otherHalfIsDone(w) {
  if (!w) return true;
  return w.autoDestroy && (w.writable === false || w.finished);
}

// --- what can be asked --------------------------------------------------------------------------------

const questions = {
  get readable() {
    const state = this._readableState;
    if (!state || state.readable === false) return false;
    return !(state.endEmitted || state.errorEmitted || state.destroyed);
  },
  set readable(value) {
    if (this._readableState) this._readableState.readable = Boolean(value);
  },
  get readableFlowing() {
    return this._readableState.flowing;
  },
  set readableFlowing(value) {
    if (this._readableState) this._readableState.flowing = value;
  },
  get destroyed() {
    return this._readableState?.destroyed ?? false;
  },
  set destroyed(value) {
    if (this._readableState) this._readableState.destroyed = value;
  },
  get readableAborted() {
    const { readable, destroyed, errored, endEmitted } = this._readableState;
    return readable !== false && !endEmitted && Boolean(destroyed || errored);
  },
  get readableDidRead() { return this._readableState.dataEmitted; },
  get readableEnded() { return this._readableState?.endEmitted ?? false; },
  get readableLength() { return this._readableState.length; },
  get readableHighWaterMark() { return this._readableState.highWaterMark; },
  get readableBuffer() { return this._readableState?.buffer; },
  get readableObjectMode() { return this._readableState?.objectMode ?? false; },
  get readableEncoding() { return this._readableState?.encoding ?? null; },
  get errored() { return this._readableState?.errored ?? null; },
  get closed() { return this._readableState?.closed ?? false; },
};
for (const { 0: name, 1: question } of over(Object.entries(Object.getOwnPropertyDescriptors(questions))))
  Object.defineProperty(Readable.prototype, name, { __proto__: null, ...question, enumerable: false });

module.exports = Object.assign(Readable, {
  ReadableState,
  _fromList: (n, state) => takeChunk(state, n),
});

require('internal/streams/flow').addTo(Readable, { announce, flow });
