'use strict';
// finished(): calls back once, when a stream is over in one way or another.

const { AbortError, coded, invalidArgType, validateAbortSignal, validateFunction, validateObject } =
  require('internal/errors');
const {
  isClosed, isNode, isReadable, isReadableFinished, isReadableNode, isWritable, isWritableFinished,
  isWritableNode, willEmitClose,
} = require('internal/streams/state');

const premature = () => coded(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close');
const erroredOf = (stream) => stream._writableState?.errored || stream._readableState?.errored;

function finished(stream, options, callback) {
  if (arguments.length === 2) [options, callback] = [{}, options];
  else if (options == null) options = {};
  else validateObject(options, 'options');
  validateFunction(callback, 'callback');
  validateAbortSignal(options.signal, 'options.signal');
  if (!isNode(stream))
    throw invalidArgType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
  let told = false;
  const tell = (error) => {
    if (told) return;
    told = true;
    if (error === undefined) callback.call(stream);
    else callback.call(stream, error);
  };

  const readable = options.readable ?? isReadableNode(stream);
  const writable = options.writable ?? isWritableNode(stream);
  const w = stream._writableState;
  const r = stream._readableState;
  let waitsForClose = willEmitClose(stream) && isReadableNode(stream) === readable && isWritableNode(stream) === writable;
  let written = isWritableFinished(stream, false);
  let read = isReadableFinished(stream, false);

  const onFinish = () => {
    written = true;
    if (stream.destroyed) waitsForClose = false;
    if (waitsForClose && (!stream.readable || readable)) return;
    if (!readable || read) tell();
  };
  const onEnd = () => {
    read = true;
    if (stream.destroyed) waitsForClose = false;
    if (waitsForClose && (!stream.writable || writable)) return;
    if (!writable || written) tell();
  };
  const onError = (error) => tell(error);
  const onClose = () => {
    const error = erroredOf(stream);
    if (error && typeof error !== 'boolean') tell(error);
    else if (readable && !read && isReadableNode(stream, true) && !isReadableFinished(stream, false)) tell(premature());
    else if (writable && !written && !isWritableFinished(stream, false)) tell(premature());
    else tell();
  };
  const onClosed = () => {
    const error = erroredOf(stream);
    if (error && typeof error !== 'boolean') tell(error);
    else tell();
  };

  stream.on('end', onEnd);
  stream.on('finish', onFinish);
  if (options.error !== false) stream.on('error', onError);
  stream.on('close', onClose);
  if (isClosed(stream)) process.nextTick(onClose);
  else if (w?.errorEmitted || r?.errorEmitted) {
    if (!waitsForClose) process.nextTick(onClosed);
  } else if (!readable && (!waitsForClose || isReadable(stream)) && (written || isWritable(stream) === false) &&
             !w?.pendingcb) {
    process.nextTick(onClosed);
  } else if (!writable && (!waitsForClose || isWritable(stream)) && (read || isReadable(stream) === false)) {
    process.nextTick(onClosed);
  }

  const clean = () => {
    told = true;
    stream.removeListener('end', onEnd);
    stream.removeListener('finish', onFinish);
    stream.removeListener('error', onError);
    stream.removeListener('close', onClose);
  };
  if (options.signal) {
    const { signal } = options;
    const abort = () => {
      const call = told ? undefined : callback;
      clean();
      call?.call(stream, new AbortError(undefined, { cause: signal.reason }));
    };
    if (signal.aborted) process.nextTick(abort);
    else signal.addEventListener('abort', abort, { once: true });
  }
  return clean;
}

module.exports = { finished, premature };
