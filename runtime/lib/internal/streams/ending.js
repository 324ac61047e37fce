'use strict';
// How a Writable ends: open, then flushing (while _final runs), then flushed ('prefinish'), then
// finished. Each step is taken as soon as nothing is left to do before it, so all code that
// completes some work calls advance().

const { over } = intrinsics;
const { errorOrDestroy: fail, once } = require('internal/streams/destroy');

const stages = { open: 0, flushing: 1, flushed: 2 };

// Nothing is left to write and nothing has gone wrong.
function mayFinish(state) {
  if (!state.ending || state.finished || !state.constructed) return false;
  if (state.destroyed || state.errored || state.errorEmitted || state.closeEmitted) return false;
  return state.length === 0 && !state.writing && !state.pumping && state.queue.size === 0;
}

// Calls the callbacks that were passed to end().
function answerEnders(state, error) {
  const { enders } = state;
  if (enders.length === 0) return;
  state.enders = [];
  for (const callback of over(enders)) callback(error);
}

function flushed(stream, state) {
  state.stage = stages.flushed;
  stream.emit('prefinish');
}

function askFinal(stream, state) {
  const answer = once(stream, (error) => {
    state.pendingcb--;
    if (error) {
      answerEnders(state, error);
      fail(stream, error, state.sync);
      return;
    }
    if (!mayFinish(state)) return;
    flushed(stream, state);
    // A _final that answers at once must look like one that takes time.
    inTick(finish, stream, state);
  });
  state.stage = stages.flushing;
  state.pendingcb++;
  state.sync = true;
  try {
    stream._final(answer);
  } catch (thrown) {
    answer(thrown);
  }
  state.sync = false;
}

function finish(stream, state) {
  state.finished = true;
  answerEnders(state, null);
  stream.emit('finish');
  if (state.autoDestroy && readingIsOver(stream._readableState)) stream.destroy();
}

function readingIsOver(other) {
  if (!other) return true;
  return other.autoDestroy && (other.endEmitted || other.readable === false);
}

function finishUnlessChanged(stream, state) {
  if (mayFinish(state)) finish(stream, state);
}

// A step to come counts as a pending callback, so that it isn't taken twice.
function inTick(step, stream, state) {
  state.pendingcb++;
  process.nextTick(takeStep, step, stream, state);
}

function takeStep(step, stream, state) {
  state.pendingcb--;
  step(stream, state);
}

// Takes the steps that are possible. `later`: the caller is inside the program's own call, which
// should return before 'finish' comes.
function advance(stream, state, later) {
  if (!mayFinish(state)) return;
  if (state.stage === stages.open) {
    if (typeof stream._final === 'function') askFinal(stream, state);
    else flushed(stream, state);
  }
  // Pending callbacks come first, and then call this again.
  if (state.pendingcb !== 0) return;
  if (later) inTick(finishUnlessChanged, stream, state);
  else finishUnlessChanged(stream, state);
}

module.exports = { advance, answerEnders, stages };
