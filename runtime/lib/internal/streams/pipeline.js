'use strict';
// pipeline(): streams, iterables and functions one after the other, with one callback for the end
// of all. A failure of one destroys all others.

const { ArrayIsArray, arrayForEach, arrayPop, arrayPush, arrayReduce, arrayShift, given, over, stringReplace } = intrinsics;
const Duplex = require('internal/streams/duplex');
const { PassThrough } = require('internal/streams/transform');
const { finished, premature } = require('internal/streams/finished');
const { bothErrors } = require('internal/streams/destroy');
const { isIterable, isNode, isReadable, isReadableFinished, isReadableNode } = require('internal/streams/state');
const { AbortError, coded, invalidArgType, invalidReturnValue, validateAbortSignal, validateFunction } =
  require('internal/errors');

const { kUnstoppable } = require('internal/event_target');

const PREMATURE = 'ERR_STREAM_PREMATURE_CLOSE';

// --- from one to the next -----------------------------------------------------------------------

// Writes the items of an iterable to a stream, no faster than the stream takes them.
class Pump {
  constructor(target) {
    this.target = target;
    this.error = undefined;
    this.settle = null; // of the promise that is waited for
    this.wake = (error) => {
      if (error) this.error = error;
      const { settle } = this;
      this.settle = null;
      settle?.();
    };
    target.on('drain', this.wake);
    this.forget = finished(target, { readable: false }, this.wake);
  }

  // Waits until the target drains, finishes or fails.
  room() {
    return new Promise((resolve, reject) => {
      const settle = () => this.error ? reject(this.error) : resolve();
      if (this.error) settle();
      else this.settle = settle;
    });
  }

  async run(iterable, endsTarget, done) {
    const { target } = this;
    try {
      if (target.writableNeedDrain) await this.room();
      for await (const chunk of given(iterable)) {
        const isFull = !target.write(chunk);
        if (isFull) await this.room();
      }
      if (endsTarget) {
        target.end();
        await this.room();
      }
      done();
    } catch (thrown) {
      done(thrown === this.error ? thrown : bothErrors(this.error, thrown));
    } finally {
      this.forget();
      target.off('drain', this.wake);
    }
  }
}

function pump(iterable, target, done, endsTarget) {
  new Pump(target).run(iterable, endsTarget, done);
}

// From stream to stream. done is called twice: for the source and for the target.
function join(source, target, done, endsTarget) {
  let isEnded = false;
  const end = () => {
    isEnded = true;
    target.end();
  };
  target.on('close', () => isEnded || done(premature()));
  source.pipe(target, { end: false });
  if (!endsTarget) done();
  else if (isReadableFinished(source)) process.nextTick(end);
  else source.once('end', end);
  finished(source, { readable: true, writable: false }, (error) => {
    if (error?.code !== PREMATURE || !endIsToCome(source._readableState)) done(error);
    else for (const event of over(['end', 'error'])) source.once(event, done);
  });
  return finished(target, { writable: true, readable: false }, done);
}

// Some sources close before their data has been read.
function endIsToCome(state) {
  return Boolean(state) && state.ended && !(state.errored || state.errorEmitted);
}

// --- the whole ----------------------------------------------------------------------------------

class Pipeline {
  constructor(steps, callback, options) {
    this.steps = steps;
    this.callback = callback;
    this.endsLast = options?.end !== false;
    this.outer = options?.signal;
    this.inner = new (require('internal/abort_signal').AbortController)(); // aborts the functions when it is over
    this.error = undefined;
    this.value = undefined; // of a last step that is a function
    this.running = 0;
    this.destroyers = [];
    this.cleaners = []; // for a last stream that lives on and is read by others
    this.done = (error) => {
      this.running--;
      this.settle(error, this.running === 0);
    };
    this.abort = () => this.settle(new AbortError(undefined, { cause: this.outer?.reason }), true);
  }

  obeySignal() {
    validateAbortSignal(this.outer, 'options.signal');
    if (this.outer?.aborted) process.nextTick(this.abort);
    else this.outer?.addEventListener('abort', this.abort, { __proto__: null, once: true, [kUnstoppable]: true });
  }

  // The first error counts, except a premature close, which is only a consequence of another error.
  settle(error, isLast) {
    const isFirst = !this.error || this.error.code === PREMATURE;
    if (error && isFirst) this.error = error;
    if (!isLast && !this.error) return;
    for (let destroy; (destroy = arrayShift.call(this.destroyers)) !== undefined;) destroy(this.error);
    this.outer?.removeEventListener('abort', this.abort);
    this.inner.abort();
    if (!isLast) return;
    if (!this.error) arrayForEach.call(this.cleaners, (clean) => clean());
    process.nextTick(this.callback, this.error, this.value);
  }

  build() {
    const lastAt = this.steps.length - 1;
    return arrayReduce.call(this.steps, (before, step, at) => {
      const place = { at, isLast: at === lastAt, ends: at < lastAt || this.endsLast };
      if (isNode(step)) this.guard(step, place);
      if (at === 0) return this.first(step);
      if (typeof step === 'function') return this.call(step, before, place);
      if (isNode(step)) return this.lead(before, step, place);
      Duplex.from(step); // refuses what nothing can be made of
      throw invalidArgType('stream', 'an instance of Stream or a function', step);
    }, undefined);
  }

  cleanLater(stream, place, clean) {
    if (place.isLast && isReadable(stream)) arrayPush.call(this.cleaners, clean);
  }

  // Watches a stream until the pipeline has ended; the stream doesn't outlive the pipeline.
  guard(stream, place) {
    if (place.ends) {
      const clean = this.destroyAtEnd(stream, !place.isLast, place.at > 0);
      this.cleanLater(stream, place, clean);
    }
    // A write to a stream that is closed must not end the program.
    const onError = (error) => {
      const isEcho = !error || error.name === 'AbortError' || error.code === PREMATURE;
      if (!isEcho) this.done(error);
    };
    stream.on('error', onError);
    this.cleanLater(stream, place, () => stream.removeListener('error', onError));
  }

  // Unless the stream has ended by itself.
  destroyAtEnd(stream, readable, writable) {
    let isOver = false;
    stream.on('close', () => { isOver = true; });
    const clean = finished(stream, { readable, writable }, (error) => { isOver = !error; });
    arrayPush.call(this.destroyers, (error) => {
      if (isOver) return;
      isOver = true;
      stream.destroy?.(error ||
        coded(Error, 'ERR_STREAM_DESTROYED', 'Cannot call pipe after a stream was destroyed'));
    });
    return clean;
  }

  first(step) {
    if (typeof step !== 'function') return isIterable(step) || isReadableNode(step) ? step : Duplex.from(step);
    const made = step({ signal: this.inner.signal });
    if (!isIterable(made)) throw invalidReturnValue('Iterable, AsyncIterable or Stream', 'source', made);
    return made;
  }

  call(step, before, place) {
    const made = step(before, { signal: this.inner.signal });
    if (place.isLast) return this.collect(made, place);
    if (!isIterable(made, true)) throw invalidReturnValue('AsyncIterable', `transform[${place.at - 1}]`, made);
    return made;
  }

  // The last function's result is the result of the pipeline. It is represented by a stream, which
  // callers may read.
  collect(made, { ends }) {
    const through = new PassThrough({ objectMode: true });
    if (typeof made?.then === 'function') {
      this.running++;
      Reflect.apply(made.then, made, [(value) => {
        this.value = value;
        if (value !== null && value !== undefined) through.write(value);
        if (ends) through.end();
        process.nextTick(this.done);
      }, (error) => {
        through.destroy(error);
        process.nextTick(this.done, error);
      }]);
    } else if (isIterable(made, true)) {
      this.running++;
      pump(made, through, this.done, ends);
    } else {
      throw invalidReturnValue('AsyncIterable or Promise', 'destination', made);
    }
    arrayPush.call(this.cleaners, this.destroyAtEnd(through, false, true));
    return through;
  }

  lead(before, stream, place) {
    if (isReadableNode(before)) {
      this.running += 2;
      this.cleanLater(stream, place, join(before, stream, this.done, place.ends));
    } else if (isIterable(before)) {
      this.running++;
      pump(before, stream, this.done, place.ends);
    } else {
      throw invalidArgType('val', 'an instance of Readable, Iterable, or AsyncIterable', before);
    }
    return stream;
  }
}

function pipelineWith(streams, callback, options) {
  const steps = streams.length === 1 && ArrayIsArray(streams[0]) ? streams[0] : streams;
  if (steps.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
  const whole = new Pipeline(steps, callback, options);
  whole.obeySignal();
  return whole.build();
}

function pipeline(streams) {
  let callback = arrayPop.call(streams);
  validateFunction(callback, 'streams[stream.length - 1]');
  return pipelineWith(streams, (...results) => {
    const call = callback;
    callback = null;
    if (call !== null) Reflect.apply(call, undefined, results);
  });
}

module.exports = { pipeline, pipelineWith };
