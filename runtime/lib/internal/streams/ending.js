'use strict';
// How a Writable ends. From open it goes to flushing, where _final has the word, to flushed,
// which 'prefinish' announces, and to finished. Each step is taken as soon as nothing is left to
// do before it, so everything that completes some work calls advance().

const { over } = intrinsics;
const { errorOrDestroy: fail, once } = require('internal/streams/destroy');

const stages = { open: 0, flushing: 1, flushed: 2 };

// Nothing is left to write and nothing has gone wrong.
function mayFinish(state) {
  if (!state.ending || state.finished || !state.constructed) return false;
  if (state.destroyed || state.errored || state.errorEmitted || state.closeEmitted) return false;
  return state.length === 0 && !state.writing && !state.pumping && state.queue.size === 0;
}

// Those who gave end() a callback.
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
    // A _final that answers at once must look like one that takes its time.
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

// A step that is to come counts as a callback that is owed, so that nobody takes it meanwhile.
function inTick(step, stream, state) {
  state.pendingcb++;
  process.nextTick(takeStep, step, stream, state);
}

function takeStep(step, stream, state) {
  state.pendingcb--;
  step(stream, state);
}

// Takes the steps that can be taken. `later`: the caller is inside a program's own call, which
// should return before 'finish' comes.
function advance(stream, state, later) {
  if (!mayFinish(state)) return;
  if (state.stage === stages.open) {
    if (typeof stream._final === 'function') askFinal(stream, state);
    else flushed(stream, state);
  }
  // Whoever is still owed a callback hears of it first, and then comes here again.
  if (state.pendingcb !== 0) return;
  if (later) inTick(finishUnlessChanged, stream, state);
  else finishUnlessChanged(stream, state);
}

module.exports = { advance, answerEnders, stages };
