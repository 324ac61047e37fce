'use strict';
// finished(): calls back once, when a stream has ended in any way. A stream that emits 'close' has
// ended with that; other streams, when the halves asked for have ended.

const { AbortError, coded, invalidArgType, validateAbortSignal, validateFunction, validateObject } =
  require('internal/errors');
const {
  isClosed, isNode, isReadable, isReadableFinished, isReadableNode, isWritable, isWritableFinished,
  isWritableNode, willEmitClose,
} = require('internal/streams/state');

const { kUnstoppable } = require('internal/event_target');

const premature = () => coded(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close');

class Watch {
  constructor(stream, options, callback) {
    this.stream = stream;
    this.callback = callback; // null once it was called or isn't wanted any more
    const canRead = isReadableNode(stream);
    const canWrite = isWritableNode(stream);
    this.forRead = options.readable ?? canRead;
    this.forWrite = options.writable ?? canWrite;
    // A caller that asks for one half of two can't wait for the close of both.
    this.awaitsClose = willEmitClose(stream) && canRead === this.forRead && canWrite === this.forWrite;
    this.isRead = isReadableFinished(stream, false);
    this.isWritten = isWritableFinished(stream, false);
    this.listeners = {
      end: () => this.ended(),
      finish: () => this.wrote(),
      error: (error) => this.callBack(error),
      close: () => this.closed(),
    };
  }

  listen(hearsErrors) {
    for (const event in this.listeners)
      if (hearsErrors || event !== 'error') this.stream.on(event, this.listeners[event]);
  }

  forget() {
    this.callback = null;
    for (const event in this.listeners) this.stream.removeListener(event, this.listeners[event]);
  }

  callBack(...errors) {
    const { callback } = this;
    this.callback = null;
    if (callback !== null) Reflect.apply(callback, this.stream, errors[0] === undefined ? [] : errors);
  }

  ended() {
    this.isRead = true;
    this.halfDone(this.forWrite, this.isWritten, 'writable');
  }

  wrote() {
    this.isWritten = true;
    this.halfDone(this.forRead, this.isRead, 'readable');
  }

  // One half is done. Calls back unless the other is asked for and not done.
  halfDone(isAsked, isDone, other) {
    const { stream } = this;
    if (stream.destroyed) this.awaitsClose = false;
    const closeComes = this.awaitsClose && (isAsked || !stream[other]);
    if (!closeComes && (isDone || !isAsked)) this.callBack();
  }

  closed() {
    if (this.callStored()) return;
    const { stream } = this;
    const cutRead = this.forRead && !this.isRead && isReadableNode(stream, true) && !isReadableFinished(stream, false);
    const cutWrite = this.forWrite && !this.isWritten && !isWritableFinished(stream, false);
    if (cutRead || cutWrite) this.callBack(premature());
    else this.callBack();
  }

  // The error that the stream keeps, if it has one.
  callStored() {
    const { _readableState: r, _writableState: w } = this.stream;
    const error = w?.errored || r?.errored;
    if (!error || error === true) return false;
    this.callBack(error);
    return true;
  }

  // A stream that has already ended emits nothing any more: what to do instead.
  late() {
    const { stream } = this;
    const { _readableState: r, _writableState: w } = stream;
    const asIs = () => this.callStored() || this.callBack();
    if (isClosed(stream)) return this.listeners.close;
    if (r?.errorEmitted || w?.errorEmitted) return this.awaitsClose ? null : asIs;
    const onlyWrites = !this.forRead && (isReadable(stream) || !this.awaitsClose);
    if (onlyWrites && (this.isWritten || isWritable(stream) === false) && !w?.pendingcb) return asIs;
    const onlyReads = !this.forWrite && (isWritable(stream) || !this.awaitsClose);
    if (onlyReads && (this.isRead || isReadable(stream) === false)) return asIs;
    return null;
  }

  endWith(signal) {
    const abort = () => {
      const { callback, stream } = this;
      this.forget();
      if (callback !== null) Reflect.apply(callback, stream, [new AbortError(undefined, { cause: signal.reason })]);
    };
    if (!signal.aborted) signal.addEventListener('abort', abort, { __proto__: null, once: true, [kUnstoppable]: true });
    else process.nextTick(abort);
  }
}

function finished(stream, options, callback) {
  const isShort = arguments.length === 2;
  const call = isShort ? options : callback;
  const wishes = (isShort ? null : options) ?? {};
  validateObject(wishes, 'options');
  validateFunction(call, 'callback');
  validateAbortSignal(wishes.signal, 'options.signal');
  if (!isNode(stream))
    throw invalidArgType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
  const watch = new Watch(stream, wishes, call);
  watch.listen(wishes.error !== false);
  const late = watch.late();
  if (late !== null) process.nextTick(late);
  if (wishes.signal) watch.endWith(wishes.signal);
  return () => watch.forget();
}

module.exports = { finished, premature };
