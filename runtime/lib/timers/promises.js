'use strict';
// Timers that one awaits.

const timers = require('timers');
const { AbortError, validateAbortSignal, validateBoolean, validateObject } = require('internal/errors');

function check(options) {
  validateObject(options, 'options');
  validateAbortSignal(options.signal, 'options.signal');
  const { ref = true } = options;
  validateBoolean(ref, 'options.ref');
  return { signal: options.signal, ref };
}

function waiting(options, start, clear) {
  let signal, ref;
  try {
    ({ signal, ref } = check(options));
  } catch (error) {
    return Promise.reject(error);
  }
  if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
  let abort;
  const promise = new Promise((resolve, reject) => {
    const timer = start(resolve);
    if (!ref) timer.unref();
    if (signal === undefined) return;
    abort = () => {
      clear(timer);
      reject(new AbortError(undefined, { cause: signal.reason }));
    };
    signal.addEventListener('abort', abort, { once: true });
  });
  if (signal === undefined) return promise;
  // Node takes so many microtasks to tell of it, and programs can see them.
  return new Promise((resolve, reject) => new Promise((done, failed) => promise.then(done, failed))
    .finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject));
}

const setTimeout = (delay, value, options = {}) =>
  waiting(options, (done) => timers.setTimeout(done, delay, value), timers.clearTimeout);

const setImmediate = (value, options = {}) =>
  waiting(options, (done) => timers.setImmediate(done, value), timers.clearImmediate);

async function* setInterval(delay, value, options = {}) {
  const { signal, ref } = check(options);
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  let due = 0;
  let wake;
  const interval = timers.setInterval(() => {
    due++;
    wake?.();
  }, delay);
  if (!ref) interval.unref();
  const abort = () => {
    timers.clearInterval(interval);
    wake?.(Promise.reject(new AbortError(undefined, { cause: signal.reason })));
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    while (!signal?.aborted) {
      if (due === 0) await new Promise((resolve) => wake = resolve);
      wake = undefined;
      for (; due > 0; due--) yield value;
    }
    throw new AbortError(undefined, { cause: signal.reason });
  } finally {
    timers.clearInterval(interval);
    signal?.removeEventListener('abort', abort);
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
