'use strict';
// A pipe: passes the data of a Readable to one target, no faster than the target takes it. A source
// may have several pipes and pauses while any target is full; so the full targets are kept in the
// source's state (`full`), not here.

const { arrayIncludes, arrayPush, over } = intrinsics;
const { listenerCount } = require('events');
const { prependListener } = require('internal/tools');
const { errorOrDestroy } = require('internal/streams/destroy');

class Pipe {
  constructor(source, target) {
    this.source = source;
    this.target = target;
    this.isOpen = true;
    this.whenDrained = null; // set when the target is full for the first time
    this.whenData = (chunk) => {
      if (target.write(chunk) === false) this.wait();
    };
    this.whenOver = () => source.unpipe(target);
    this.whenEnded = this.whenOver;
    this.whenClosed = () => this.targetGone('finish', this.whenFinished);
    this.whenFinished = () => this.targetGone('close', this.whenClosed);
    this.whenFailed = (error) => this.targetFailed(error);
    this.whenUnpiped = (from, info) => {
      // If there are two pipes between the same streams, both get 'unpipe', and one is meant.
      if (from !== source || info?.hasUnpiped !== false) return;
      info.hasUnpiped = true;
      this.close();
    };
  }

  // endsTarget: the target ends with the source. Standard output stays open, since the program may
  // write more.
  open(endsTarget) {
    const { source, target } = this;
    const state = source._readableState;
    state.full ??= new Set();
    if (state.pipes.length === 1) state.fansOut = true;
    arrayPush.call(state.pipes, target);

    const isStandard = target === process.stdout || target === process.stderr;
    if (endsTarget && !isStandard) this.whenEnded = () => target.end();
    if (state.endEmitted) process.nextTick(this.whenEnded);
    else source.once('end', this.whenEnded);
    target.on('unpipe', this.whenUnpiped);
    source.on('data', this.whenData);
    // First in the list, so that the program's listener finds the pipe closed.
    prependListener(target, 'error', this.whenFailed);
    target.once('close', this.whenClosed);
    target.once('finish', this.whenFinished);
    target.emit('pipe', source);
    if (target.writableNeedDrain === true) this.wait();
    else if (!state.flowing) source.resume();
  }

  close() {
    const { source, target } = this;
    for (const { 0: emitter, 1: event, 2: listener } of over([
      [target, 'close', this.whenClosed],
      [target, 'finish', this.whenFinished],
      [target, 'drain', this.whenDrained],
      [target, 'error', this.whenFailed],
      [target, 'unpipe', this.whenUnpiped],
      [source, 'end', this.whenEnded],
      [source, 'data', this.whenData],
    ]))
      if (listener !== null) emitter.removeListener(event, listener);
    this.isOpen = false;
    if (this.whenDrained !== null && this.mayBeAwaited()) this.whenDrained();
  }

  // Whether the source may be waiting for this target, which will not drain for it any more.
  mayBeAwaited() {
    const { full, fansOut } = this.source._readableState;
    const w = this.target._writableState;
    return (fansOut || full.size > 0) && (!w || w.needDrain);
  }

  wait() {
    const { source, target } = this;
    if (this.isOpen) {
      this.noteFull(source._readableState);
      source.pause();
    }
    if (this.whenDrained === null) {
      this.whenDrained = () => this.goOn();
      target.on('drain', this.whenDrained);
    }
  }

  noteFull(state) {
    const { full, pipes } = state;
    if (!arrayIncludes.call(pipes, this.target)) return;
    // With only one pipe left, nothing else is awaited.
    state.fansOut = pipes.length > 1;
    if (!state.fansOut) full.clear();
    full.add(this.target);
  }

  goOn() {
    const { source, target } = this;
    const { full } = source._readableState;
    full.delete(target);
    if (full.size === 0 && listenerCount(source, 'data') > 0) source.resume();
  }

  // The first of 'close' and 'finish' is enough.
  targetGone(other, listener) {
    this.target.removeListener(other, listener);
    this.whenOver();
  }

  // An error without another listener goes to the program, as if there were no pipe.
  targetFailed(error) {
    const { target } = this;
    this.whenOver();
    target.removeListener('error', this.whenFailed);
    if (listenerCount(target, 'error') > 0) return;
    const state = target._writableState || target._readableState;
    if (state && !state.errorEmitted) errorOrDestroy(target, error);
    else target.emit('error', error);
  }
}

module.exports = { Pipe };
