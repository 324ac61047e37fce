'use strict';
// Questions about a stream, and the options that all streams share. The questions work for any
// object; null means that they don't apply to it.

const { GenuineObject, NumberIsInteger, arrayEvery, arrayFilter, arrayMap, arraySome, over } = intrinsics;
const { Buffer } = require('buffer');
const { invalidArgValue, unknownEncoding, validateInteger } = require('internal/errors');

const defaults = { bytes: 16 * 1024, objects: 16 };
const unitOf = (objectMode) => objectMode ? 'objects' : 'bytes';

const getDefaultHighWaterMark = (objectMode) => defaults[unitOf(objectMode)];

function setDefaultHighWaterMark(objectMode, value) {
  validateInteger(value, 'value', 0);
  defaults[unitOf(objectMode)] = value;
}

// A Duplex may have one for each half, but one for both takes precedence; either way an error names
// the half.
function highWaterMarkOf(state, options, key, isDuplex) {
  const own = isDuplex ? options?.[key] : undefined;
  const value = options?.highWaterMark ?? own ?? getDefaultHighWaterMark(state.objectMode);
  if (NumberIsInteger(value) && value >= 0) return value;
  throw invalidArgValue(`options.${isDuplex ? key : 'highWaterMark'}`, value);
}

function defaultEncodingOf(options) {
  const encoding = options?.defaultEncoding ?? null;
  if (encoding === null) return 'utf8';
  if (!Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
  return encoding;
}

// Methods that may be given as options instead of in a subclass: the option write is _write.
const methodTable = (...options) => arrayMap.call(options, (option) => ({ option, method: `_${option}` }));

function takeMethods(stream, options, table) {
  if (!options) return;
  for (const { option, method } of over(table))
    if (typeof options[option] === 'function') stream[method] = options[option];
}

// --- kinds ------------------------------------------------------------------------------------

const can = (object, ...methods) => Boolean(object) && arrayEvery.call(methods, (name) => typeof object[name] === 'function');

function isReadableNode(stream, strict = false) {
  if (!can(stream, 'on', 'pipe') || (strict && !can(stream, 'pause', 'resume'))) return false;
  // A Writable has a pipe() too, which throws.
  const { _readableState: r, _writableState: w } = stream;
  return !w || (Boolean(r) && r.readable !== false);
}

function isWritableNode(stream) {
  if (!can(stream, 'on', 'write')) return false;
  return !stream._readableState || stream._writableState?.writable !== false;
}

const isNode = (stream) => Boolean(stream?._readableState || stream?._writableState) ||
  can(stream, 'on', 'write') || can(stream, 'on', 'pipe');

// `kind`: true for an asynchronous one, false for the other, undefined for any.
function isIterable(value, kind) {
  if (value === undefined || value === null) return false;
  return (kind !== false && can(GenuineObject(value), Symbol.asyncIterator)) ||
    (kind !== true && can(GenuineObject(value), Symbol.iterator));
}

// --- how far it is ----------------------------------------------------------------------------

// Objects ended by stream.destroy() that have no field for it.
const abandoned = new WeakSet();

function isDestroyed(stream) {
  if (!isNode(stream)) return null;
  const half = stream._writableState || stream._readableState;
  return Boolean(stream.destroyed || half?.destroyed || abandoned.has(stream));
}

// `field` is set when the half's last event was emitted. If not strict, it is enough that nothing is
// left before that event.
function isHalfOver(half, field, strict) {
  if (half?.errored) return false;
  if (typeof half?.[field] !== 'boolean') return null;
  return half[field] || (strict === false && half.length === 0 && half.ended === true);
}

function isWritableFinished(stream, strict) {
  if (!isWritableNode(stream)) return null;
  return stream.writableFinished === true || isHalfOver(stream._writableState, 'finished', strict);
}

const isReadableFinished = (stream, strict) =>
  isReadableNode(stream) ? isHalfOver(stream._readableState, 'endEmitted', strict) : null;

function isUsable(stream, side, test) {
  if (typeof stream?.[side] !== 'boolean') return null;
  return stream[side] && !isDestroyed(stream) && test(stream);
}

const isReadable = (stream) =>
  isUsable(stream, 'readable', () => isReadableNode(stream) && !isReadableFinished(stream));
const isWritable = (stream) =>
  isUsable(stream, 'writable', () => isWritableNode(stream) && !stream._writableState?.ending);

const isErrored = (stream) =>
  arraySome.call([stream, stream?._readableState, stream?._writableState], (part) => Boolean(part?.errored));
const isDisturbed = (stream) => Boolean(stream?.readableAborted || stream?.readableDidRead);

function isClosed(stream) {
  if (!isNode(stream)) return null;
  if (typeof stream.closed === 'boolean') return stream.closed;
  const known = arrayFilter.call([stream._writableState?.closed, stream._readableState?.closed], (closed) => closed !== undefined);
  if (arraySome.call(known, (closed) => typeof closed === 'boolean')) return arraySome.call(known, Boolean);
  return typeof stream._closed === 'boolean' ? stream._closed : null;
}

function willEmitClose(stream) {
  if (!isNode(stream)) return null;
  const { autoDestroy, emitClose, closed } = stream._writableState || stream._readableState || {};
  return closed === false && Boolean(emitClose && autoDestroy);
}

module.exports = {
  defaultEncodingOf, getDefaultHighWaterMark, highWaterMarkOf, isClosed, isDestroyed, isDisturbed, isErrored, isIterable,
  isNode, isReadable, isReadableFinished, isReadableNode, isWritable, isWritableFinished, isWritableNode, methodTable,
  noteDestroyed: (stream) => abandoned.add(stream), setDefaultHighWaterMark, takeMethods, willEmitClose,
};
