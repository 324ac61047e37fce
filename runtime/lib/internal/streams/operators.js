'use strict';
// map, filter, toArray and their kin on Readable: functions over what a stream carries.

const { NumberIsNaN, arrayPush, arrayShift, given, promiseThen } = intrinsics;
const Readable = require('internal/streams/readable');
const { AbortError, invalidArgType, outOfRange, validateAbortSignal } = require('internal/errors');

function checkSignal(options) {
  if (options?.signal !== undefined) validateAbortSignal(options.signal, 'options.signal');
  return options?.signal;
}

function mustGoOn(signal) {
  if (!signal?.aborted) return;
  throw new AbortError(undefined, { cause: signal.reason });
}

// The results in order, with up to `concurrency` calls of fn under way.
async function* mapped(stream, fn, options) {
  const signal = checkSignal(options);
  const concurrency = options?.concurrency ?? 1;
  const running = [];
  for await (const chunk of given(stream)) {
    mustGoOn(signal);
    arrayPush.call(running, (async () => fn(chunk, { signal }))());
    promiseThen.call(running[running.length - 1], undefined, () => {});
    if (running.length >= concurrency) yield await arrayShift.call(running);
  }
  while (running.length > 0) yield await arrayShift.call(running);
}

function requireFunction(fn, name = 'fn') {
  if (typeof fn !== 'function') throw invalidArgType(name, 'of type function or an instance of AsyncFunction', fn);
}

const made = (generator) => function (fn, options) {
  requireFunction(fn);
  return Readable.from(generator(this, fn, options));
};

async function* filtered(stream, fn, options) {
  for await (const chunk of given(stream)) if (await fn(chunk, { signal: options?.signal })) yield chunk;
}

async function* flattened(stream, fn, options) {
  for await (const part of given(mapped(stream, fn, options))) yield* given(part);
}

function count(value) {
  value = Number(value);
  if (NumberIsNaN(value)) return 0;
  if (value < 0) throw outOfRange('number', '>= 0', value);
  return value;
}

async function* dropped(stream, number) {
  for await (const chunk of given(stream)) if (number-- <= 0) yield chunk;
}

async function* taken(stream, number) {
  if (number <= 0) return;
  for await (const chunk of given(stream)) {
    yield chunk;
    if (--number <= 0) return;
  }
}

const operators = {
  map: made(mapped),
  filter: made(filtered),
  flatMap: made(flattened),
  drop(number) { return Readable.from(dropped(this, count(number))); },
  take(number) { return Readable.from(taken(this, count(number))); },
  async forEach(fn, options) {
    requireFunction(fn);
    for await (const unused of given(mapped(this, fn, options))) void unused;
  },
  async toArray(options) {
    const signal = checkSignal(options);
    const result = [];
    for await (const chunk of given(this)) {
      mustGoOn(signal);
      arrayPush.call(result, chunk);
    }
    return result;
  },
  async some(fn, options) {
    requireFunction(fn);
    for await (const chunk of given(this)) if (await fn(chunk, { signal: options?.signal })) return true;
    return false;
  },
  async every(fn, options) {
    requireFunction(fn);
    for await (const chunk of given(this)) if (!await fn(chunk, { signal: options?.signal })) return false;
    return true;
  },
  async find(fn, options) {
    requireFunction(fn);
    for await (const chunk of given(this)) if (await fn(chunk, { signal: options?.signal })) return chunk;
    return undefined;
  },
  async reduce(fn, initial, options) {
    requireFunction(fn, 'reducer');
    let empty = arguments.length < 2;
    let value = initial;
    for await (const chunk of given(this)) {
      value = empty ? chunk : await fn(value, chunk, { signal: options?.signal });
      empty = false;
    }
    if (empty) throw new TypeError('Reduce of an empty stream requires an initial value');
    return value;
  },
};
for (const name in operators)
  Object.defineProperty(Readable.prototype, name,
    { __proto__: null, value: operators[name], enumerable: false, configurable: true, writable: true });
