'use strict';
// A codec of native('zlib') and the chunk that it works on: from a stream's _transform, by steps on
// the pool that fill one output buffer each, or at once.

// own methods: stream
const { arrayPush } = intrinsics;
const binding = native('zlib');
const { Buffer } = require('buffer');
const { coded } = require('internal/errors');

const { kHeld, kProblem } = { kHeld: Symbol('held step'), kProblem: Symbol('problem') };

// Some packages call writeSync and close themselves, or put functions of their own in their place.
class Codec {
  constructor(token, stream) {
    this.token = token;
    this.stream = stream;
    this.input = undefined; // the chunk, while one is worked on
    this.inputAt = 0;
    this.inputLeft = 0;
    this.flush = 0;
    this.done = undefined;
    this.onerror = (message, errno, code) => fail(stream, message, errno, code);
  }

  // Leaves what remains of room and input in the stream's _writeState.
  writeSync(flush, input, at, left, output, outputAt, room) {
    this.took(binding.writeSync(this.token, flush, input, at, left, output, outputAt, room));
  }

  took(result) {
    const { _writeState: state } = this.stream;
    state[0] = result[0];
    state[1] = result[1];
    if (result.length > 2) this.onerror(result[2], result[3], result[4]);
  }

  params(level, strategy) {
    this.took(binding.params(this.token, level, strategy));
  }

  reset() {
    this.took(binding.reset(this.token));
  }

  close() {
    binding.close(this.token);
  }
}

function fail(stream, message, errno, code) {
  const error = Object.assign(new Error(message), { errno, code });
  stream.destroy(error);
  stream[kProblem] = error;
}

const roomOf = (stream) => stream._chunkSize - stream._outOffset;

function step(codec) {
  const { stream } = codec;
  binding.write(codec.token, codec.flush, codec.input, codec.inputAt, codec.inputLeft,
    stream._outBuffer, stream._outOffset, roomOf(stream), codec);
}

// What a step has put into the output buffer.
function takeOutput(stream, produced) {
  const { _outBuffer: buffer, _outOffset: at } = stream;
  stream._outOffset += produced;
  return Buffer.from(buffer.buffer, buffer.byteOffset + at, produced);
}

// What was taken shares the buffer's memory, so a used buffer is never filled again.
function renewOutput(stream, outLeft) {
  if (outLeft !== 0 && stream._outOffset < stream._chunkSize) return;
  stream._outOffset = 0;
  stream._outBuffer = Buffer.allocUnsafe(stream._chunkSize);
}

function finish(codec) {
  const { done } = codec;
  codec.input = codec.done = undefined;
  done();
}

binding.setCallback(function onStep(codec, outLeft, inLeft, message, errno, code) {
  const { stream } = codec;
  const { _writeState: state } = stream;
  state[0] = outLeft;
  state[1] = inLeft;
  if (message !== undefined) {
    if (!stream.destroyed) codec.onerror(message, errno, code);
    return;
  }
  if (stream.destroyed) {
    finish(codec);
    return;
  }
  const consumed = codec.inputLeft - inLeft;
  const produced = roomOf(stream) - outLeft;
  stream.bytesWritten += consumed;
  const isFull = produced > 0 && !stream.push(takeOutput(stream, produced));
  if (stream.destroyed) {
    finish(codec);
    return;
  }
  renewOutput(stream, outLeft);
  if (outLeft === 0) { // there may be more output
    codec.inputAt += consumed;
    codec.inputLeft = inLeft;
    if (isFull) stream[kHeld] = codec; // goes on when some is read
    else step(codec);
    return;
  }
  // There is room, and input was left: the format has ended before its data.
  if (inLeft > 0) stream.push(null);
  finish(codec);
});

function start(stream, chunk, flush, done) {
  const { _handle: codec } = stream;
  if (codec === null) {
    process.nextTick(done);
    return;
  }
  Object.assign(codec, { input: chunk, inputAt: 0, inputLeft: chunk.byteLength, flush, done });
  step(codec);
}

// Called when the stream is read.
function resume(stream) {
  const codec = stream[kHeld];
  if (codec === undefined) return;
  stream[kHeld] = undefined;
  if (stream._handle === codec) step(codec);
}

function close(stream) {
  const { _handle: codec } = stream;
  if (!codec) return;
  stream._handle = null;
  codec.close();
}

const tooLarge = (most) => coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${most} bytes`);

// The whole chunk at once; the codec is closed after it.
function runSync(stream, chunk, flush) {
  const { _writeState: state } = stream;
  const parts = [];
  let total = 0;
  let at = 0;
  let left = chunk.byteLength;
  stream.on('error', () => {}); // it is thrown instead
  do {
    const room = roomOf(stream);
    stream._handle.writeSync(flush, chunk, at, left, stream._outBuffer, stream._outOffset, room);
    if (stream[kProblem] !== undefined) throw stream[kProblem];
    const { 0: outLeft, 1: inLeft } = state;
    const produced = room - outLeft;
    at += left - inLeft;
    left = inLeft;
    if (produced > 0) {
      arrayPush.call(parts, takeOutput(stream, produced));
      total += produced;
      if (total > stream._maxOutputLength) {
        close(stream);
        throw tooLarge(stream._maxOutputLength);
      }
    }
    renewOutput(stream, outLeft);
  } while (state[0] === 0);
  stream.bytesWritten = at;
  close(stream);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts, total);
}

module.exports = { Codec, close, resume, runSync, start, tooLarge };
