'use strict';
// map, filter, toArray and the like on Readable.

const { NumberIsNaN, PromiseReject, PromiseResolve, arrayPush, arrayShift, given, promiseThen } = intrinsics;
const Readable = require('internal/streams/readable');
const {
  AbortError, coded, invalidArgType, outOfRange, validateAbortSignal, validateInteger, validateObject,
} = require('internal/errors');

const NOTHING = Symbol('nothing'); // for a chunk that is left out
const END = Symbol('end');

const ignore = () => {};
const aborted = (signal) => new AbortError(undefined, { cause: signal.reason });

function requireFunction(fn, name = 'fn') {
  if (typeof fn !== 'function') throw invalidArgType(name, 'of type function or an instance of AsyncFunction', fn);
}

// The signal among the options, which may be omitted.
function checkOptions(options) {
  if (options != null) validateObject(options, 'options');
  if (options?.signal != null) validateAbortSignal(options.signal, 'options.signal');
  return options?.signal ?? undefined;
}

function limitsOf(options) {
  const concurrency = options?.concurrency != null ? Math.floor(options.concurrency) : 1;
  const highWaterMark = options?.highWaterMark != null ? Math.floor(options.highWaterMark) : concurrency - 1;
  validateInteger(concurrency, 'options.concurrency', 1);
  validateInteger(highWaterMark, 'options.highWaterMark', 0);
  return { concurrency, most: highWaterMark + concurrency };
}

// Calls fn for the chunks of a stream, up to `concurrency` of them at a time, and keeps up to
// `most` results that wait for their turn, in the order of the chunks.
class Calls {
  #queue = []; // promises of results
  #running = 0;
  #isOver = false;
  #limits;
  #signal;
  #wakeReader = null;
  #wakeCaller = null;

  constructor(limits, signal) {
    this.#limits = limits;
    this.#signal = signal;
  }

  #put(result) {
    arrayPush.call(this.#queue, result);
    this.#wakeCaller?.();
    this.#wakeCaller = null;
  }

  #mayRead() {
    return this.#running < this.#limits.concurrency && this.#queue.length < this.#limits.most;
  }

  #resume() {
    if (this.#wakeReader === null || this.#isOver || !this.#mayRead()) return;
    this.#wakeReader();
    this.#wakeReader = null;
  }

  async read(stream, fn) {
    const signal = this.#signal;
    const ended = () => {
      this.#running--;
      this.#resume();
    };
    const failed = () => {
      this.#isOver = true;
      ended();
    };
    try {
      for await (const chunk of given(stream)) {
        if (this.#isOver) return;
        if (signal.aborted) throw aborted(signal);
        const result = fn(chunk, { signal });
        if (result === NOTHING) continue;
        const promise = PromiseResolve(result);
        this.#running++;
        promiseThen.call(promise, ended, failed);
        this.#put(promise);
        if (!this.#isOver && !this.#mayRead()) await new Promise((resolve) => { this.#wakeReader = resolve; });
      }
      this.#put(END);
    } catch (error) {
      const rejected = PromiseReject(error);
      promiseThen.call(rejected, undefined, ignore);
      this.#put(rejected);
    } finally {
      this.#isOver = true;
      this.#wakeCaller?.();
    }
  }

  async* results() {
    try {
      for (;;) {
        while (this.#queue.length > 0) {
          const result = await this.#queue[0];
          if (result === END) return;
          if (this.#signal.aborted) throw aborted(this.#signal);
          if (result !== NOTHING) yield result;
          arrayShift.call(this.#queue);
          this.#resume();
        }
        await new Promise((resolve) => { this.#wakeCaller = resolve; });
      }
    } finally {
      this.#isOver = true;
      this.#wakeReader?.();
    }
  }
}

// Checks the arguments at once, reads when the first result is asked for.
function mapped(stream, fn, options) {
  requireFunction(fn);
  const outer = checkOptions(options);
  const limits = limitsOf(options);
  return (async function* map() {
    const { AbortSignal } = require('internal/abort_signal');
    const calls = new Calls(limits, AbortSignal.any(outer === undefined ? [] : [outer]));
    calls.read(stream, fn);
    yield* given(calls.results());
  })();
}

function filtered(stream, fn, options) {
  requireFunction(fn);
  return mapped(stream, async (chunk, options) => await fn(chunk, options) ? chunk : NOTHING, options);
}

async function* flattened(results) {
  for await (const part of given(results)) yield* given(part);
}

function count(value) {
  value = Number(value);
  if (NumberIsNaN(value)) return 0;
  if (value < 0) throw outOfRange('number', '>= 0', value);
  return value;
}

async function* dropped(stream, number, signal) {
  if (signal?.aborted) throw new AbortError();
  for await (const chunk of given(stream)) {
    if (signal?.aborted) throw new AbortError();
    if (number-- <= 0) yield chunk;
  }
}

async function* taken(stream, number, signal) {
  if (signal?.aborted) throw new AbortError();
  for await (const chunk of given(stream)) {
    if (signal?.aborted) throw new AbortError();
    if (number-- > 0) yield chunk;
    if (number <= 0) return;
  }
}

async function* indexed(stream, signal) {
  let index = 0;
  for await (const chunk of given(stream)) {
    if (signal?.aborted) throw aborted(signal);
    yield [index++, chunk];
  }
}

async function reduced(stream, reducer, start, options) {
  const signal = checkOptions(options);
  let { isEmpty, value } = start;
  if (signal?.aborted) {
    const error = aborted(signal);
    stream.once('error', ignore); // its own end isn't reported
    await require('stream/promises').finished(stream.destroy(error));
    throw error;
  }
  const { AbortController } = require('internal/abort_signal');
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of given(stream)) {
      if (signal?.aborted) throw new AbortError();
      value = isEmpty ? chunk : await reducer(value, chunk, { signal: controller.signal });
      isEmpty = false;
    }
  } finally {
    controller.abort();
    signal?.removeEventListener('abort', abort);
  }
  if (isEmpty) throw coded(TypeError, 'ERR_MISSING_ARGS', 'Reduce of an empty stream requires an initial value');
  return value;
}

const operators = {
  map(fn, options) { return Readable.from(mapped(this, fn, options)); },
  filter(fn, options) { return Readable.from(filtered(this, fn, options)); },
  flatMap(fn, options) { return Readable.from(flattened(mapped(this, fn, options))); },
  drop(number, options = undefined) {
    const signal = checkOptions(options);
    return Readable.from(dropped(this, count(number), signal));
  },
  take(number, options = undefined) {
    const signal = checkOptions(options);
    return Readable.from(taken(this, count(number), signal));
  },
  asIndexedPairs(options = undefined) {
    return Readable.from(indexed(this, checkOptions(options)));
  },
  async forEach(fn, options) {
    requireFunction(fn);
    const results = mapped(this, async (chunk, options) => {
      await fn(chunk, options);
      return NOTHING;
    }, options);
    for await (const unused of given(results)) void unused;
  },
  async toArray(options) {
    const signal = checkOptions(options);
    const result = [];
    for await (const chunk of given(this)) {
      if (signal?.aborted) throw aborted(signal);
      arrayPush.call(result, chunk);
    }
    return result;
  },
  async some(fn, options = undefined) {
    for await (const unused of given(filtered(this, fn, options))) return unused !== NOTHING;
    return false;
  },
  async every(fn, options = undefined) {
    requireFunction(fn);
    for await (const unused of given(filtered(this, async (chunk, options) => !await fn(chunk, options), options))) return unused === NOTHING;
    return true;
  },
  async find(fn, options) {
    for await (const chunk of given(filtered(this, fn, options))) return chunk;
    return undefined;
  },
  async reduce(reducer, initial, options) {
    requireFunction(reducer, 'reducer');
    return reduced(this, reducer, { isEmpty: arguments.length < 2, value: initial }, options);
  },
};
for (const name in operators)
  Object.defineProperty(Readable.prototype, name,
    { __proto__: null, value: operators[name], enumerable: false, configurable: true, writable: true });
