'use strict';
// EventEmitter is the package's; what Node 20 does beyond it, or in other words, is added
// here. Waiting for events with promises is in internal/events_awaited.

const EventEmitter = require('vendor/events');

const errorMonitor = Symbol('events.errorMonitor');
const rejection = Symbol.for('nodejs.rejection');
const kCapture = Symbol('kCapture');
const kShapeMode = Symbol('shapeMode');

const errors = () => require('internal/errors');
const inspect = (value, options) => require('internal/inspect').inspect(value, options);

let captureAll = false;

EventEmitter.init = function (options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = Object.create(null);
    this._eventsCount = 0;
  }
  this._maxListeners ||= undefined;
  this[kShapeMode] = false;
  // An explicit false doesn't turn off what is on for all; Node has it that way.
  if (options?.captureRejections) errors().validateBoolean(options.captureRejections, 'options.captureRejections');
  this[kCapture] = Boolean(options?.captureRejections) || captureAll;
};

// The package's constructor passes no options on.
function Emitter(options) {
  EventEmitter.init.call(this, options);
}
Emitter.prototype = EventEmitter.prototype;
Object.defineProperty(Emitter, 'name', { value: 'EventEmitter' });
Object.defineProperty(Emitter.prototype, 'constructor', { value: Emitter, writable: true, configurable: true });
Emitter.init = EventEmitter.init;
Emitter.prototype[kCapture] = false;
Object.defineProperty(Emitter.prototype, kCapture, { enumerable: false });

// --- emitting -----------------------------------------------------------------------------------

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

Emitter.prototype.emit = function emit(type, first) {
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
    const result = count === 2 ? listeners.call(this, first) : call(listeners, this, count, arguments);
    if (result != null && this[kCapture]) capture(this, result, type, arguments);
    return true;
  }
  // A listener may add and remove others; this event is for those of now.
  const now = listeners.slice();
  for (let i = 0; i < now.length; i++) {
    const result = call(now[i], this, count, arguments);
    if (result != null && this[kCapture]) capture(this, result, type, arguments);
  }
  return true;
};

// A listener has returned a promise whose rejection is to become an event.
function capture(emitter, result, type, args) {
  try {
    const { then } = result;
    if (typeof then !== 'function') return;
    const rest = Array.prototype.slice.call(args, 1);
    then.call(result, undefined, (error) => process.nextTick(rejected, emitter, error, type, rest));
  } catch (error) {
    emitter.emit('error', error);
  }
}

function rejected(emitter, error, type, args) {
  if (typeof emitter[rejection] === 'function') {
    emitter[rejection](error, type, ...args);
    return;
  }
  // The 'error' listener's own rejection must not come round again.
  const before = emitter[kCapture];
  try {
    emitter[kCapture] = false;
    emitter.emit('error', error);
  } finally {
    emitter[kCapture] = before;
  }
}

function unhandled(error) {
  if (error instanceof Error) return error;
  let text;
  try {
    text = inspect(error);
  } catch {
    text = String(error);
  }
  const made = errors().coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`);
  made.context = error;
  return made;
}

// --- listening ------------------------------------------------------------------------------------

function checked(listener) {
  if (typeof listener !== 'function') throw errors().invalidArgType('listener', 'of type function', listener);
}

function add(emitter, type, listener, first) {
  checked(listener);
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = Object.create(null);
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    // Told before it is added, lest a listener for 'newListener' hears of itself.
    emitter.emit('newListener', type, listener.listener ?? listener);
    events = emitter._events;
  }
  const existing = events[type];
  if (existing === undefined) {
    events[type] = listener;
    emitter._eventsCount++;
    return emitter;
  }
  let list = existing;
  if (typeof existing === 'function') list = events[type] = first ? [listener, existing] : [existing, listener];
  else if (first) existing.unshift(listener);
  else existing.push(listener);
  const most = emitter.getMaxListeners();
  if (most > 0 && list.length > most && !list.warned) warn(emitter, type, list, most);
  return emitter;
}

function warn(emitter, type, list, most) {
  list.warned = true;
  const warning = new Error(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ` +
    `${inspect(emitter, { depth: -1 })}. MaxListeners is ${most}. Use emitter.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  Object.assign(warning, { emitter, type, count: list.length });
  process.emitWarning(warning);
}

function oneTime(emitter, type, listener) {
  checked(listener);
  let fired = false;
  const wrapped = function (...args) {
    if (fired) return undefined;
    emitter.removeListener(type, wrapped);
    fired = true;
    return args.length === 0 ? listener.call(emitter) : listener.apply(emitter, args);
  };
  wrapped.listener = listener;
  return wrapped;
}

const { removeListener } = Emitter.prototype;
Object.assign(Emitter.prototype, {
  addListener(type, listener) {
    return add(this, type, listener, false);
  },
  prependListener(type, listener) {
    return add(this, type, listener, true);
  },
  once(type, listener) {
    return this.on(type, oneTime(this, type, listener)); // streams have an on() of their own
  },
  prependOnceListener(type, listener) {
    return this.prependListener(type, oneTime(this, type, listener));
  },
  removeListener(type, listener) {
    checked(listener);
    return removeListener.call(this, type, listener);
  },
  setMaxListeners(count) {
    checkCount(count, 'setMaxListeners');
    this._maxListeners = count;
    return this;
  },
  getMaxListeners() {
    return this._maxListeners ?? Emitter.defaultMaxListeners;
  },
  listenerCount(type, listener) {
    const listeners = this._events?.[type];
    if (listeners === undefined) return 0;
    const same = (each) => listener == null || each === listener || each.listener === listener;
    if (typeof listeners === 'function') return same(listeners) ? 1 : 0;
    return listener == null ? listeners.length : listeners.filter(same).length;
  },
});
Emitter.prototype.on = Emitter.prototype.addListener;
Emitter.prototype.off = Emitter.prototype.removeListener;

// --- limits -----------------------------------------------------------------------------------------

function checkCount(count, name) {
  const { invalidArgType, outOfRange } = errors();
  if (typeof count !== 'number') throw invalidArgType(name, 'of type number', count);
  if (!(count >= 0)) throw outOfRange(name, '>= 0', count);
}

let defaultMaxListeners = 10;
Object.defineProperty(Emitter, 'defaultMaxListeners', {
  enumerable: true,
  get: () => defaultMaxListeners,
  set(count) {
    checkCount(count, 'defaultMaxListeners');
    defaultMaxListeners = count;
  },
});

Emitter.setMaxListeners = (count = defaultMaxListeners, ...emitters) => {
  checkCount(count, 'n');
  if (emitters.length === 0) defaultMaxListeners = count;
  for (const emitter of emitters)
    if (typeof emitter.setMaxListeners === 'function') emitter.setMaxListeners(count);
    else if (!(emitter instanceof EventTarget)) throw notAnEmitter(emitter, 'eventTargets');
};

Emitter.getMaxListeners = (emitter) => {
  if (typeof emitter?.getMaxListeners === 'function') return emitter.getMaxListeners();
  if (emitter instanceof EventTarget) return defaultMaxListeners;
  throw notAnEmitter(emitter);
};

const notAnEmitter = (value, name = 'emitter') =>
  errors().invalidArgType(name, 'an instance of EventEmitter or EventTarget', value);

// --- the rest of the module ---------------------------------------------------------------------------

Emitter.getEventListeners = (emitter, name) => {
  if (typeof emitter?.listeners === 'function') return emitter.listeners(name);
  if (emitter instanceof EventTarget) return require('internal/event_target').listenersOf(emitter, name);
  throw notAnEmitter(emitter);
};

Emitter.listenerCount = (emitter, name) => emitter.listenerCount(name);

Emitter.addAbortListener = (signal, listener) => {
  const { validateAbortSignal, validateFunction } = errors();
  validateAbortSignal(signal ?? null, 'signal');
  validateFunction(listener, 'listener');
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
};

Emitter.once = async (emitter, name, options) => require('internal/events_awaited').once(emitter, name, options);
Object.defineProperty(Emitter.once, 'name', { value: 'once' });
Emitter.on = (emitter, name, options) => require('internal/events_awaited').on(emitter, name, options);
Object.defineProperty(Emitter, 'captureRejections', {
  enumerable: true,
  get: () => captureAll,
  set(value) {
    errors().validateBoolean(value, 'EventEmitter.captureRejections');
    captureAll = value;
  },
});
Emitter.captureRejectionSymbol = rejection;
Emitter.errorMonitor = errorMonitor;
Emitter.usingDomains = false;
Emitter.EventEmitter = Emitter;

module.exports = Emitter;
