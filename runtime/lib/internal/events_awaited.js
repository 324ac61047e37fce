'use strict';
// events.once and events.on: awaiting events.

const { PromiseReject, PromiseResolve, SymbolFor, arrayMap, arrayPush, arrayShift, arraySplice, over } = intrinsics;
const { kUnstoppable } = require('internal/event_target');
const { abortedBy, invalidArgType, validateAbortSignal, validateInteger } = require('internal/errors');

// The same four steps for an emitter and an event target.
function access(source) {
  if (typeof source?.on === 'function')
    return {
      isEmitter: true,
      add: (name, listener, once) => once ? source.once(name, listener) : source.on(name, listener),
      remove: (name, listener) => source.removeListener(name, listener),
    };
  if (typeof source?.addEventListener === 'function')
    return {
      isEmitter: false,
      add: (name, listener, once) => source.addEventListener(name, listener, { once }),
      remove: (name, listener) => source.removeEventListener(name, listener),
    };
  throw invalidArgType('emitter', 'an instance of EventEmitter', source);
}

function signalOf(options) {
  const { signal } = options ?? {};
  validateAbortSignal(signal, 'options.signal');
  if (!signal?.aborted) return signal;
  throw abortedBy(signal);
}

function once(source, name, options) {
  const signal = signalOf(options);
  const { isEmitter, add, remove } = access(source);
  const withErrors = isEmitter && name !== 'error';
  return new Promise((resolve, reject) => {
    const stop = () => {
      remove(name, done);
      if (withErrors) remove('error', fail);
      signal?.removeEventListener('abort', abort);
    };
    const done = (...args) => {
      stop();
      resolve(args);
    };
    const fail = (error) => {
      stop();
      reject(error);
    };
    const abort = () => fail(abortedBy(signal));
    add(name, done, true);
    if (withErrors) add('error', fail, true);
    signal?.addEventListener('abort', abort, { __proto__: null, once: true, [kUnstoppable]: true });
  });
}

// How full the queue of an iterator is, for those who ask by Node's symbol.
const kMarks = SymbolFor('nodejs.watermarkData');

// for await (const args of on(emitter, name)): events are queued; a source that can pause is paused
// while more than highWaterMark are queued.
class Arrivals {
  #arrived = [];
  #waiting = [];
  #failure = null;
  #finished = false;
  #paused = false;
  #source;
  #marks;
  #cleanUp;

  // isFirst: an item is an event's first argument, instead of a list of all.
  constructor(source, name, options, isFirst = false) {
    const signal = signalOf(options);
    const { isEmitter, add, remove } = access(source);
    this.#source = source;
    this.#marks = marksOf(options);
    const take = (...args) => this.#take(isFirst ? args[0] : args);
    const fail = (error) => this.#fail(error);
    const close = () => this.#close();
    const abort = () => this.#fail(abortedBy(signal));
    const listeners = [[name, take], ...(over(isEmitter && name !== 'error' ? [['error', fail]] : [])),
      ...over(arrayMap.call(options?.close ?? [], (each) => [each, close]))];
    for (const { 0: event, 1: listener } of over(listeners)) add(event, listener, false);
    signal?.addEventListener('abort', abort, { __proto__: null, once: true, [kUnstoppable]: true });
    this.#cleanUp = () => {
      for (const { 0: event, 1: listener } of over(listeners)) remove(event, listener);
      signal?.removeEventListener('abort', abort);
    };
  }

  #take(item) {
    const next = arrayShift.call(this.#waiting);
    if (next !== undefined) {
      next.resolve({ value: item, done: false });
      return;
    }
    arrayPush.call(this.#arrived, item);
    if (!this.#paused && this.#arrived.length > this.#marks.high) {
      this.#paused = true;
      this.#source.pause?.();
    }
  }

  #fail(error) {
    const next = arrayShift.call(this.#waiting);
    if (next !== undefined) next.reject(error);
    else this.#failure = error;
    this.#close();
  }

  #close() {
    this.#cleanUp();
    this.#finished = true;
    for (const next of over(arraySplice.call(this.#waiting, 0))) next.resolve({ value: undefined, done: true });
    return PromiseResolve({ value: undefined, done: true });
  }

  next() {
    if (this.#arrived.length > 0) {
      const value = arrayShift.call(this.#arrived);
      if (this.#paused && this.#arrived.length < this.#marks.low) {
        this.#paused = false;
        this.#source.resume?.();
      }
      return PromiseResolve({ value, done: false });
    }
    if (this.#failure !== null) {
      const error = this.#failure;
      this.#failure = null;
      return PromiseReject(error);
    }
    if (this.#finished) return this.#close();
    return new Promise((resolve, reject) => arrayPush.call(this.#waiting, { resolve, reject }));
  }

  return() {
    return this.#close();
  }

  throw(error) {
    if (!(error instanceof Error)) throw invalidArgType('EventEmitter.AsyncIterator', 'an instance of Error', error);
    this.#fail(error);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  get [kMarks]() {
    const sizeOf = () => this.#arrived.length;
    const isPaused = () => this.#paused;
    const { low, high } = this.#marks;
    return {
      low, high,
      get size() { return sizeOf(); },
      get isPaused() { return isPaused(); },
    };
  }
}

function marksOf(options) {
  const high = options?.highWaterMark ?? options?.highWatermark ?? Number.MAX_SAFE_INTEGER;
  const low = options?.lowWaterMark ?? options?.lowWatermark ?? 1;
  validateInteger(high, 'options.highWaterMark', 1);
  validateInteger(low, 'options.lowWaterMark', 1);
  return { high, low };
}

module.exports = {
  on: (source, name, options) => new Arrivals(source, name, options),
  onFirst: (source, name, options) => new Arrivals(source, name, options, true),
  once,
};
