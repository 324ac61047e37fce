'use strict';
// EventEmitter is the package's; what Node 20 has beyond it is added here.

const Plain = require('vendor/events');

const errorMonitor = Symbol('events.errorMonitor');
const rejection = Symbol.for('nodejs.rejection');
const kCapture = Symbol('kCapture');
let captureByDefault = false;

// The package's constructor takes no options.
function EventEmitter(options) {
  Plain.call(this);
  // An explicit false doesn't turn off what is on for all; Node has it that way.
  if (options?.captureRejections) {
    require('internal/errors').validateBoolean(options.captureRejections, 'options.captureRejections');
    this[kCapture] = true;
  } else if (captureByDefault) {
    this[kCapture] = true;
  }
}
const { prototype } = Plain;
EventEmitter.prototype = prototype;
for (const name of Object.keys(Plain))
  Object.defineProperty(EventEmitter, name, Object.getOwnPropertyDescriptor(Plain, name));
EventEmitter.EventEmitter = EventEmitter;
Object.defineProperty(prototype, 'constructor', { value: EventEmitter, writable: true, configurable: true });
Object.defineProperty(prototype, kCapture, { value: false, writable: true });

// What a listener of an emitter that captures rejections returned. Where it is a promise
// that is rejected, the emitter hears of it in a tick of its own.
function capture(emitter, returned, type, args) {
  try {
    const { then } = returned;
    if (typeof then !== 'function') return;
    const rest = Array.prototype.slice.call(args, 1);
    then.call(returned, undefined, (error) => process.nextTick(rejected, emitter, error, type, rest));
  } catch (error) {
    emitter.emit('error', error);
  }
}

function rejected(emitter, error, type, args) {
  if (typeof emitter[rejection] === 'function') {
    emitter[rejection](error, type, ...args);
    return;
  }
  // An 'error' listener that is rejected in turn must not come back here for ever.
  const before = emitter[kCapture];
  emitter[kCapture] = false;
  try {
    emitter.emit('error', error);
  } finally {
    emitter[kCapture] = before;
  }
}

// The package's emit, without the arrays of arguments where there are few: an event costs
// little more than the calls of its listeners.
function call(listener, self, count, args) {
  switch (count) {
    case 1: return listener.call(self);
    case 2: return listener.call(self, args[1]);
    case 3: return listener.call(self, args[1], args[2]);
    default: return listener.apply(self, Array.prototype.slice.call(args, 1));
  }
}

prototype.emit = function emit(type, first) {
  const events = this._events;
  if (type === 'error') {
    if (events !== undefined && events[errorMonitor] !== undefined) this.emit(errorMonitor, ...Array.prototype.slice.call(arguments, 1));
    if (events === undefined || events.error === undefined) throw unhandled(first);
  }
  if (events === undefined) return false;
  const listeners = events[type];
  if (listeners === undefined) return false;
  const count = arguments.length;
  if (typeof listeners === 'function') {
    const returned = count === 2 ? listeners.call(this, first) : call(listeners, this, count, arguments);
    if (returned != null && this[kCapture]) capture(this, returned, type, arguments);
    return true;
  }
  // A listener may add and remove others; this event is for those of now.
  const now = listeners.slice();
  for (let i = 0; i < now.length; i++) {
    const returned = call(now[i], this, count, arguments);
    if (returned != null && this[kCapture]) capture(this, returned, type, arguments);
  }
  return true;
};

function unhandled(error) {
  if (error instanceof Error) return error;
  let text;
  try {
    text = require('internal/inspect').inspect(error);
  } catch {
    text = String(error);
  }
  const made = new Error(`Unhandled error. (${text})`);
  made.code = 'ERR_UNHANDLED_ERROR';
  made.context = error;
  return made;
}

// As the package's, but with options: { signal }.
EventEmitter.once = function once(emitter, name, options) {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    const { AbortError } = require('internal/errors');
    if (signal?.aborted) return reject(new AbortError(undefined, { cause: signal.reason }));
    const abort = () => {
      stop();
      reject(new AbortError(undefined, { cause: signal.reason }));
    };
    const done = (...args) => {
      stop();
      resolve(args);
    };
    const fail = (error) => {
      stop();
      reject(error);
    };
    const target = typeof emitter.on !== 'function';
    const stop = () => {
      if (target) {
        emitter.removeEventListener(name, done);
      } else {
        emitter.removeListener(name, done);
        if (name !== 'error') emitter.removeListener('error', fail);
      }
      signal?.removeEventListener('abort', abort);
    };
    if (target) emitter.addEventListener(name, done, { once: true });
    else {
      emitter.once(name, done);
      if (name !== 'error') emitter.once('error', fail);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
};

// for await (const args of on(emitter, name))
EventEmitter.on = function on(emitter, name, options) {
  const signal = options?.signal;
  const { AbortError } = require('internal/errors');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const arrived = [];
  const waiting = [];
  let failure = null;
  let finished = false;
  const take = (...args) => {
    const next = waiting.shift();
    if (next !== undefined) next.resolve({ value: args, done: false });
    else arrived.push(args);
  };
  const fail = (error) => {
    finished = true;
    const next = waiting.shift();
    if (next !== undefined) next.reject(error);
    else failure = error;
    iterator.return();
  };
  const abort = () => fail(new AbortError(undefined, { cause: signal.reason }));
  const iterator = {
    next() {
      if (arrived.length > 0) return Promise.resolve({ value: arrived.shift(), done: false });
      if (failure !== null) {
        const error = failure;
        failure = null;
        return Promise.reject(error);
      }
      if (finished) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() {
      emitter.removeListener(name, take);
      emitter.removeListener('error', fail);
      signal?.removeEventListener('abort', abort);
      finished = true;
      for (const next of waiting.splice(0)) next.resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    },
    throw(error) {
      failure = error;
      return iterator.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  emitter.on(name, take);
  if (name !== 'error') emitter.on('error', fail);
  signal?.addEventListener('abort', abort, { once: true });
  return iterator;
};

EventEmitter.getEventListeners = (emitter, name) => {
  if (typeof emitter.listeners === 'function') return emitter.listeners(name);
  return require('internal/event_target').listenersOf(emitter, name);
};

EventEmitter.setMaxListeners = (count = EventEmitter.defaultMaxListeners, ...emitters) => {
  if (emitters.length === 0) EventEmitter.defaultMaxListeners = count;
  for (const emitter of emitters) if (typeof emitter.setMaxListeners === 'function') emitter.setMaxListeners(count);
};

EventEmitter.getMaxListeners = (emitter) =>
  typeof emitter.getMaxListeners === 'function' ? emitter.getMaxListeners() : EventEmitter.defaultMaxListeners;

EventEmitter.addAbortListener = (signal, listener) => {
  const { validateAbortSignal, validateFunction } = require('internal/errors');
  validateAbortSignal(signal ?? null, 'signal');
  validateFunction(listener, 'listener');
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose ?? Symbol.for('nodejs.dispose')]: () => signal.removeEventListener('abort', listener) };
};

EventEmitter.errorMonitor = errorMonitor;
EventEmitter.captureRejectionSymbol = rejection;
Object.defineProperty(EventEmitter, 'captureRejections', {
  enumerable: true,
  get: () => captureByDefault,
  set(value) {
    require('internal/errors').validateBoolean(value, 'EventEmitter.captureRejections');
    captureByDefault = value;
  },
});
EventEmitter.usingDomains = false;

module.exports = EventEmitter;
