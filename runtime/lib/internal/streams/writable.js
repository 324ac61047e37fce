'use strict';
// Writable: writes chunks one after the other, queues those that come meanwhile, emits 'drain' when
// there is room again, and ends with 'finish'. This file has the functions that programs call;
// writing.js has the writes, ending.js the end.

const { ArrayBufferIsView, SymbolFor, arrayPush, objectIsPrototypeOf, over, stringToLowerCase } = intrinsics;
const { Buffer } = require('buffer');
const FastBuffer = require('internal/fast_buffer');
const Stream = require('internal/streams/legacy');
const { construct, destroy, errorOrDestroy: fail, undestroy } = require('internal/streams/destroy');
const { methodTable, takeMethods } = require('internal/streams/state');
const { WritableState, destroyedError, unheard } = require('internal/streams/writing');
const { coded, invalidArgType, unknownEncoding } = require('internal/errors');

const isInstance = (Class, value) => value != null && objectIsPrototypeOf.call(Class.prototype, value);
const optionMethods = methodTable('construct', 'write', 'writev', 'final', 'destroy');

function Writable(options) {
  const isDuplex = this instanceof require('internal/streams/duplex');
  // instanceof would read _writableState, which doesn't exist yet.
  if (!isDuplex && !isInstance(Writable, this)) return new Writable(options);
  this._events ??= { close: undefined, error: undefined, prefinish: undefined, finish: undefined, drain: undefined };
  const state = new WritableState(options, this, isDuplex);
  this._writableState = state;
  takeMethods(this, options, optionMethods);
  Reflect.apply(Stream, this, [options]);
  if (!isDuplex && options?.signal) require('internal/streams/signal').addAbortSignal(options.signal, this);
  construct(this, () => {
    if (!state.writing) state.pump();
    state.advance(false);
  });
}
Object.setPrototypeOf(Writable, Stream);
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Writable.WritableState = WritableState;

// A Duplex is a Writable too, though it inherits from Readable.
Object.defineProperty(Writable, Symbol.hasInstance, { __proto__: null,
  value(object) {
    return isInstance(this, object) || (this === Writable && object?._writableState instanceof WritableState);
  },
});

// --- checks -----------------------------------------------------------------------------------

function encodingOf(state, given) {
  if (!given) return state.defaultEncoding;
  if (given === 'utf8' || given === 'buffer' || Buffer.isEncoding(given)) return given;
  throw unknownEncoding(given);
}

function bytesOf(chunk, encoding) {
  if (chunk instanceof FastBuffer) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding);
  if (ArrayBufferIsView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw invalidArgType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk);
}

// The next three functions return the result of write(), or the error because of which nothing is
// written.
function submit(stream, chunk, encoding, callback) {
  if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
  const state = stream._writableState;
  if (state.objectMode) return submitChecked(stream, state, chunk, encoding, callback);
  const known = encodingOf(state, encoding);
  if (typeof chunk === 'string' && !state.decodeStrings) return submitChecked(stream, state, chunk, known, callback);
  return submitChecked(stream, state, bytesOf(chunk, known), 'buffer', callback);
}

function submitChecked(stream, state, chunk, encoding, callback) {
  const heard = typeof callback === 'function' ? callback : unheard;
  if (state.ending) return refuse(stream, coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end'), heard);
  if (state.destroyed) return refuse(stream, destroyedError('write'), heard);
  return state.accept(chunk, encoding, heard);
}

function refuse(stream, error, callback) {
  process.nextTick(callback, error);
  fail(stream, error, true);
  return error;
}

// --- the end ----------------------------------------------------------------------------------

// Marks the stream as ending. Returns the error if that isn't possible.
function close(state) {
  if (!state.ending && !state.errored) {
    state.ending = true;
    state.advance(true);
    state.ended = true;
    return null;
  }
  if (state.finished) return coded(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished');
  return state.destroyed ? destroyedError('end') : null;
}

function endWith(stream, chunk, encoding, callback) {
  const state = stream._writableState;
  const answer = chunk === null || chunk === undefined ? true : submit(stream, chunk, encoding);
  if (state.corked) {
    state.corked = 1; // however often it was corked
    stream.uncork();
  }
  const refusal = typeof answer === 'boolean' ? close(state) : answer;
  if (typeof callback !== 'function') return stream;
  const error = refusal ?? state.errored;
  if (error || state.finished) process.nextTick(callback, error);
  else arrayPush.call(state.enders, callback);
  return stream;
}

// --- what programs call and supply ------------------------------------------------------------

Object.assign(Writable.prototype, {
  write(chunk, encoding, callback) {
    const answer = typeof encoding === 'function' ?
      submit(this, chunk, null, encoding) : submit(this, chunk, encoding, callback);
    return answer === true;
  },

  end(chunk, encoding, callback) {
    if (typeof chunk === 'function') return endWith(this, null, null, chunk);
    if (typeof encoding === 'function') return endWith(this, chunk, null, encoding);
    return endWith(this, chunk, encoding, callback);
  },

  cork() {
    this._writableState.corked += 1;
  },

  uncork() {
    const state = this._writableState;
    if (!state.corked) return;
    state.corked -= 1;
    if (!state.writing) state.pump();
  },

  setDefaultEncoding(encoding) {
    const name = typeof encoding === 'string' ? stringToLowerCase.call(encoding) : encoding;
    if (!Buffer.isEncoding(name)) throw unknownEncoding(name);
    this._writableState.defaultEncoding = name === 'utf-8' ? 'utf8' : name;
    return this;
  },

  pipe() {
    fail(this, coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
  },

  destroy(error, callback) {
    const state = this._writableState;
    if (!state.destroyed && state.hasToAbandon) process.nextTick(abandon, state);
    Reflect.apply(destroy, this, [error, callback]);
    return this;
  },

  _write(chunk, encoding, callback) {
    if (!this._writev) throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _write() method is not implemented');
    this._writev([{ chunk, encoding }], callback);
  },

  _writev: null,

  _destroy(error, callback) {
    callback(error);
  },

  _undestroy: undestroy,

  [SymbolFor('nodejs.rejection')](error) {
    this.destroy(error);
  },
});

const abandon = (state) => state.abandon();

// --- what can be asked ------------------------------------------------------------------------

// Answers without a state: the prototype itself may be asked.
const stateless = {
  closed: false, corked: 0, destroyed: false, ending: false, errored: null, finished: false, getBuffer() {},
  highWaterMark: undefined, length: undefined, needDrain: false, objectMode: false, writable: false,
};
const stateOf = (stream) => stream._writableState || stateless;

const questions = {
  get closed() { return stateOf(this).closed; },
  get destroyed() { return stateOf(this).destroyed; },
  set destroyed(value) { if (this._writableState) this._writableState.destroyed = value; },
  get errored() { return stateOf(this).errored; },
  get writable() {
    const w = stateOf(this);
    return w.writable !== false && !(w.ending || w.ended || w.destroyed || w.errored);
  },
  set writable(value) { if (this._writableState) this._writableState.writable = Boolean(value); },
  get writableAborted() {
    const w = stateOf(this);
    return w.writable !== false && !w.finished && Boolean(w.destroyed || w.errored);
  },
  get writableBuffer() { return stateOf(this).getBuffer(); },
  get writableCorked() { return stateOf(this).corked; },
  get writableEnded() { return stateOf(this).ending; },
  get writableFinished() { return stateOf(this).finished; },
  get writableHighWaterMark() { return stateOf(this).highWaterMark; },
  get writableLength() { return stateOf(this).length; },
  get writableNeedDrain() {
    const w = stateOf(this);
    return w.needDrain && !w.ending && !w.destroyed;
  },
  get writableObjectMode() { return stateOf(this).objectMode; },
};
for (const { 0: name, 1: property } of over(Object.entries(Object.getOwnPropertyDescriptors(questions))))
  Object.defineProperty(Writable.prototype, name, { __proto__: null, ...property, enumerable: false });

module.exports = Writable;
