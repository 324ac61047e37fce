'use strict';
// What can be asked about a stream, and defaults that all streams share.

const { invalidArgValue } = require('internal/errors');

let bytes = 16 * 1024;
let objects = 16;

const getDefaultHighWaterMark = (objectMode) => objectMode ? objects : bytes;

function setDefaultHighWaterMark(objectMode, value) {
  require('internal/errors').validateInteger(value, 'value', 0);
  if (objectMode) objects = value;
  else bytes = value;
}

function highWaterMarkOf(state, options, key, isDuplex) {
  const value = options?.highWaterMark ?? (isDuplex ? options?.[key] : undefined);
  if (value === undefined || value === null) return getDefaultHighWaterMark(state.objectMode);
  if (!Number.isInteger(value) || value < 0)
    throw invalidArgValue(isDuplex && options.highWaterMark == null ? `options.${key}` : 'options.highWaterMark', value);
  return Math.floor(value);
}

const isReadableNode = (stream, strict = false) => Boolean(stream && typeof stream.pipe === 'function' &&
  typeof stream.on === 'function' &&
  (!strict || (typeof stream.pause === 'function' && typeof stream.resume === 'function')) &&
  (!stream._writableState || stream._readableState?.readable !== false) &&
  (!stream._writableState || stream._readableState));
const isWritableNode = (stream) => Boolean(stream && typeof stream.write === 'function' &&
  typeof stream.on === 'function' && (!stream._readableState || stream._writableState?.writable !== false));
const isNode = (stream) => Boolean(stream && (stream._readableState || stream._writableState ||
  (typeof stream.write === 'function' && typeof stream.on === 'function') ||
  (typeof stream.pipe === 'function' && typeof stream.on === 'function')));

function isIterable(value, kind) {
  if (value == null) return false;
  if (kind === true) return typeof value[Symbol.asyncIterator] === 'function';
  if (kind === false) return typeof value[Symbol.iterator] === 'function';
  return typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function';
}

function isDestroyed(stream) {
  if (!isNode(stream)) return null;
  return Boolean(stream.destroyed || (stream._writableState || stream._readableState)?.destroyed);
}

function isWritableFinished(stream, strict) {
  if (!isWritableNode(stream)) return null;
  if (stream.writableFinished === true) return true;
  const w = stream._writableState;
  if (w?.errored) return false;
  if (typeof w?.finished !== 'boolean') return null;
  return Boolean(w.finished || (strict === false && w.ended === true && w.length === 0));
}

function isReadableFinished(stream, strict) {
  if (!isReadableNode(stream)) return null;
  const r = stream._readableState;
  if (r?.errored) return false;
  if (typeof r?.endEmitted !== 'boolean') return null;
  return Boolean(r.endEmitted || (strict === false && r.ended === true && r.length === 0));
}

function isReadable(stream) {
  if (typeof stream?.readable !== 'boolean') return null;
  if (isDestroyed(stream)) return false;
  return isReadableNode(stream) && stream.readable && !isReadableFinished(stream);
}

function isWritable(stream) {
  if (typeof stream?.writable !== 'boolean') return null;
  if (isDestroyed(stream)) return false;
  return isWritableNode(stream) && stream.writable && !stream._writableState?.ending;
}

const isErrored = (stream) => Boolean(stream?.errored || stream?._readableState?.errored || stream?._writableState?.errored);
const isDisturbed = (stream) => Boolean(stream?.readableDidRead || stream?.readableAborted);

function isClosed(stream) {
  if (!isNode(stream)) return null;
  if (typeof stream.closed === 'boolean') return stream.closed;
  const w = stream._writableState;
  const r = stream._readableState;
  if (typeof w?.closed === 'boolean' || typeof r?.closed === 'boolean') return Boolean(w?.closed || r?.closed);
  return typeof stream._closed === 'boolean' ? stream._closed : null;
}

function willEmitClose(stream) {
  if (!isNode(stream)) return null;
  const state = stream._writableState || stream._readableState;
  return Boolean(state?.autoDestroy && state.emitClose && state.closed === false);
}

module.exports = {
  getDefaultHighWaterMark, highWaterMarkOf, isClosed, isDestroyed, isDisturbed, isErrored, isIterable, isNode,
  isReadable, isReadableFinished, isReadableNode, isWritable, isWritableFinished, isWritableNode,
  setDefaultHighWaterMark, willEmitClose,
};
