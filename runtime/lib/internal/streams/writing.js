'use strict';
// The state of a Writable, and its writes: one is being written by the program (_write or _writev),
// the others are queued. The callback of a finished write is never called within the call of
// write() itself.

const { arrayForEach, arraySome } = intrinsics;
const WriteQueue = require('internal/streams/write_queue');
const { errorOrDestroy: fail, multipleCallback, noteError } = require('internal/streams/destroy');
const { advance, answerEnders, stages } = require('internal/streams/ending');
const { defaultEncodingOf, highWaterMarkOf } = require('internal/streams/state');
const { coded } = require('internal/errors');

// The callback of writes without one.
const unheard = () => {};

const destroyedError = (name) => coded(Error, 'ERR_STREAM_DESTROYED', `Cannot call ${name} after a stream was destroyed`);

class WritableState {
  #stream;

  constructor(options, stream, isDuplex) {
    this.#stream = stream;
    // the options
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.writableObjectMode));
    this.highWaterMark = highWaterMarkOf(this, options, 'writableHighWaterMark', isDuplex);
    this.defaultEncoding = defaultEncodingOf(options);
    this.decodeStrings = options?.decodeStrings !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.emitClose = options?.emitClose !== false;
    // the data
    this.length = 0; // of all data not written yet
    this.queue = new WriteQueue();
    this.awaited = null; // the callback of the current write
    this.weight = 0; // the current write's part of length
    this.done = (error) => this.#onDone(error);
    this.sync = true; // _write has not returned yet
    this.corked = 0;
    this.pumping = false;
    this.needDrain = false;
    // pending callbacks
    this.pendingcb = 0; // number of pending callbacks; finished() reads it
    this.tickComes = false;
    this.batch = null; // finished writes with the same callback, called in one tick
    this.enders = [];
    // the stage of its life
    this.constructed = true;
    this.ending = false;
    this.ended = false;
    this.stage = stages.open;
    this.finished = false;
    this.errored = null;
    this.errorEmitted = false;
    this.destroyed = false;
    this.closed = false;
    this.closeEmitted = false;
  }

  get writing() {
    return this.awaited !== null;
  }

  get prefinished() {
    return this.stage === stages.flushed;
  }

  get bufferedRequestCount() {
    return this.queue.size;
  }

  getBuffer() {
    return this.queue.list();
  }

  // Accepts a valid chunk. Returns whether there is room for another.
  accept(chunk, encoding, callback) {
    const weight = this.#weigh(chunk);
    this.pendingcb++;
    this.length += weight;
    if (this.awaited !== null || this.corked || this.errored || !this.constructed)
      this.queue.add(chunk, encoding, callback);
    else
      this.#hand(chunk, encoding, weight, callback);
    if (this.length >= this.highWaterMark && this.length !== 0) {
      this.needDrain = true;
      return false;
    }
    return !this.errored && !this.destroyed;
  }

  // Writes the queued chunks, all at once if the program has _writev.
  pump() {
    if (this.pumping || this.corked || this.destroyed || !this.constructed || this.queue.size === 0) return;
    this.pumping = true;
    if (this.queue.size > 1 && this.#stream._writev) {
      this.#handAll();
    } else {
      do {
        const { chunk, encoding, callback } = this.queue.take();
        this.#hand(chunk, encoding, this.#weigh(chunk), callback);
      } while (this.awaited === null && this.queue.left > 0);
      this.queue.tidy();
    }
    this.pumping = false;
  }

  // Queued chunks will not be written any more, and the stream will not finish.
  abandon() {
    if (this.awaited !== null) return; // called again when that one is done
    while (this.queue.left > 0) {
      const { chunk, callback } = this.queue.take();
      this.length -= this.#weigh(chunk);
      callback(this.errored ?? destroyedError('write'));
    }
    if (this.enders.length > 0) answerEnders(this, this.errored ?? destroyedError('end'));
    this.queue.tidy();
  }

  get hasToAbandon() {
    return this.queue.size > 0 || this.enders.length > 0;
  }

  // Resets the stream as if it had not ended.
  reopen() {
    this.stage = stages.open;
    this.ending = this.ended = this.finished = this.writable === false;
  }

  advance(later) {
    advance(this.#stream, this, later);
  }

  #weigh(chunk) {
    return this.objectMode ? 1 : chunk.length;
  }

  #hand(chunk, encoding, weight, callback) {
    this.weight = weight;
    this.awaited = callback;
    this.sync = true;
    if (this.destroyed) this.done(destroyedError('write')); // destroyed by the write before, in the same pump()
    else this.#stream._write(chunk, encoding, this.done);
    this.sync = false;
  }

  #handAll() {
    const writes = this.queue.takeAll();
    this.pendingcb -= writes.length - 1; // for the program it is one write
    this.weight = this.length;
    this.awaited = arraySome.call(writes, isHeard) ? (error) => arrayForEach.call(writes, (write) => write.callback(error)) : unheard;
    this.sync = true;
    this.#stream._writev(writes, this.done);
    this.sync = false;
  }

  // The program has finished the current write.
  #onDone(error) {
    const callback = this.awaited;
    if (callback === null) {
      fail(this.#stream, multipleCallback());
      return;
    }
    const atOnce = this.sync; // pump() changes it
    this.awaited = null;
    this.length -= this.weight;
    this.weight = 0;
    if (error) {
      noteError(this.#stream, error);
      if (atOnce) process.nextTick(callFailed, this, callback, error);
      else this.callFailed(callback, error);
      return;
    }
    this.pump();
    if (!atOnce) this.callDone(callback, 1);
    else if (callback === unheard) this.#passOver();
    else this.#callInTick(callback);
  }

  // A write without a callback takes a tick only if 'drain' is due. In object mode it always takes
  // one, as programs see in Node.
  #passOver() {
    const due = this.objectMode || (this.needDrain && this.length === 0);
    if (due && !this.tickComes) {
      this.tickComes = true;
      process.nextTick(callOne, this, unheard);
      return;
    }
    this.pendingcb--;
    if (this.ending) this.advance(true);
  }

  #callInTick(callback) {
    if (this.batch?.callback === callback) {
      this.batch.times++;
      return;
    }
    this.batch = { state: this, callback, times: 1 };
    process.nextTick(callBatch, this.batch);
  }

  callDone(callback, times) {
    this.tickComes = false;
    if (this.needDrain && this.length === 0 && !this.ending && !this.destroyed) {
      this.needDrain = false;
      this.#stream.emit('drain');
    }
    for (let i = 0; i < times; i++) {
      this.pendingcb--;
      callback(null);
    }
    if (this.destroyed) this.abandon();
    if (this.ending) this.advance(true);
  }

  callFailed(callback, error) {
    this.pendingcb--;
    callback(error);
    this.abandon();
    fail(this.#stream, error);
  }
}

const isHeard = (write) => write.callback !== unheard;

// The functions that ticks call.
const callOne = (state, callback) => state.callDone(callback, 1);
const callFailed = (state, callback, error) => state.callFailed(callback, error);
const callBatch = ({ state, callback, times }) => {
  state.batch = null;
  state.callDone(callback, times);
};

module.exports = { WritableState, destroyedError, unheard };
