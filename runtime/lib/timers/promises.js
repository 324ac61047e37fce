'use strict';
// Awaitable timers.

const { PromiseReject, PromiseResolve, promiseThen } = intrinsics;
const timers = require('timers');
const { kUnstoppable } = require('internal/event_target');
const { abortedBy, validateAbortSignal, validateBoolean, validateNumber, validateObject } = require('internal/errors');

// Reads the options. A signal that is aborted already is reported like a bad option.
function read(options) {
  validateObject(options, 'options');
  const { signal, ref = true } = options;
  validateAbortSignal(signal, 'options.signal');
  validateBoolean(ref, 'options.ref');
  if (signal?.aborted) throw abortedBy(signal);
  return { signal, prepare: (timer) => ref ? timer : timer.unref() };
}

// Calls back when the signal is aborted; returns a function that removes the listener.
function listen(signal, aborted) {
  signal?.addEventListener('abort', aborted, { __proto__: null, once: true, [kUnstoppable]: true });
  return () => signal?.removeEventListener('abort', aborted);
}

function waiting(options, start, clear, delay) {
  let asked;
  try {
    if (delay !== undefined) validateNumber(delay, 'delay');
    asked = read(options);
  } catch (error) {
    return PromiseReject(error);
  }
  const { signal, prepare } = asked;
  if (signal === undefined) return new Promise((resolve) => void prepare(start(resolve)));
  let leave;
  const promise = new Promise((resolve, reject) => {
    const timer = prepare(start(resolve));
    leave = listen(signal, () => {
      clear(timer);
      reject(abortedBy(signal));
    });
  });
  // Takes as many microtasks as in Node, since programs can observe them.
  return new Promise((resolve, reject) => {
    const settled = new Promise((done, failed) => promiseThen.call(promise, done, failed));
    promiseThen.call(afterwards(settled, leave), resolve, reject);
  });
}

// promise.finally(work), using nothing that a program can replace.
function afterwards(promise, work) {
  const then = (next) => (value) => {
    work();
    return promiseThen.call(PromiseResolve(), () => next(value));
  };
  return promiseThen.call(promise, then((value) => value), then((error) => { throw error; }));
}

const setTimeout = (delay, value, options = {}) =>
  waiting(options, (done) => timers.setTimeout(done, delay, value), timers.clearTimeout, delay);

const setImmediate = (value, options = {}) =>
  waiting(options, (done) => timers.setImmediate(done, value), timers.clearImmediate);

async function* setInterval(delay, value, options = {}) {
  const { signal, prepare } = read(options);
  let due = 0;
  let wake;
  const interval = prepare(timers.setInterval(() => {
    due++;
    wake?.();
  }, delay));
  const leave = listen(signal, () => {
    timers.clearInterval(interval);
    wake?.(PromiseReject(abortedBy(signal)));
  });
  try {
    while (!signal?.aborted) {
      if (due === 0) await new Promise((resolve) => wake = resolve);
      wake = undefined;
      for (; due > 0; due--) yield value;
    }
    throw abortedBy(signal);
  } finally {
    timers.clearInterval(interval);
    leave();
  }
}

module.exports = {
  setTimeout,
  setImmediate,
  setInterval,
  scheduler: {
    wait: (delay, options) => setTimeout(delay, undefined, options),
    yield: () => setImmediate(),
  },
};
