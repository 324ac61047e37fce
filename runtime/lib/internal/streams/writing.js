'use strict';
// What a Writable knows of itself, and how writes go through it: one is in the program's
// hands (_write or _writev), the others wait in a queue. The callback of a write that is
// done is called, never within the call of write() itself.

const { arrayForEach, arraySome } = intrinsics;
const WriteQueue = require('internal/streams/write_queue');
const { errorOrDestroy: fail, multipleCallback, noteError } = require('internal/streams/destroy');
const { advance, answerEnders, stages } = require('internal/streams/ending');
const { defaultEncodingOf, highWaterMarkOf } = require('internal/streams/state');
const { coded } = require('internal/errors');

// The callback of writes that nobody waits for.
const unheard = () => {};

const destroyedError = (name) => coded(Error, 'ERR_STREAM_DESTROYED', `Cannot call ${name} after a stream was destroyed`);

class WritableState {
  #stream;

  constructor(options, stream, isDuplex) {
    this.#stream = stream;
    // what was asked for
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.writableObjectMode));
    this.highWaterMark = highWaterMarkOf(this, options, 'writableHighWaterMark', isDuplex);
    this.defaultEncoding = defaultEncodingOf(options);
    this.decodeStrings = options?.decodeStrings !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    this.emitClose = options?.emitClose !== false;
    // what is being written
    this.length = 0; // of all that is not written yet
    this.queue = new WriteQueue();
    this.awaited = null; // the callback of the write in hand
    this.weight = 0; // and its part of length
    this.done = (error) => this.#onDone(error);
    this.sync = true; // the program's method has not returned yet
    this.corked = 0;
    this.pumping = false;
    this.needDrain = false;
    // callbacks that are due
    this.pendingcb = 0; // callbacks that are owed; finished() looks at it
    this.tickComes = false;
    this.batch = null; // writes done at once with the same callback, called in one tick
    this.enders = [];
    // where it is in its life
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

  // A chunk that is fit to be written. True if there is room for another.
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

  // Hands over what waits, all in one if the program can take that.
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

  // What waits will not be written any more, nor will the end come.
  abandon() {
    if (this.awaited !== null) return; // comes again when that one is done
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

  // As if it had never ended.
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
    if (this.destroyed) this.done(destroyedError('write')); // by the write before, in the same pump()
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

  // The program is done with what it had in hand.
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

  // Nobody waits for this write: it takes a tick only if 'drain' is due. In object mode it
  // takes one always, which is what programs see in Node.
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

// What the ticks call.
const callOne = (state, callback) => state.callDone(callback, 1);
const callFailed = (state, callback, error) => state.callFailed(callback, error);
const callBatch = ({ state, callback, times }) => {
  state.batch = null;
  state.callDone(callback, times);
};

module.exports = { WritableState, destroyedError, unheard };
