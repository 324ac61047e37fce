'use strict';
// EventEmitter. Waiting for events with promises is in internal/events_awaited.
//
// `_events` maps a type to its listener, or to an array of several; programs and old packages
// read and write it, so it is kept as Node keeps it, with the count of types in `_eventsCount`.

const { PromiseResolve, SymbolFor, invoke, over, promiseThen } = intrinsics;
const errorMonitor = Symbol('events.errorMonitor');
const rejection = SymbolFor('nodejs.rejection');
const kCapture = Symbol('kCapture');
// Streams begin with the types they use as undefined properties, which remain when the listeners
// are removed: so `_events` keeps its shape and its order.
const kShapeMode = Symbol('shapeMode');


const errors = () => require('internal/errors');
const inspect = (value, options) => require('internal/inspect').inspect(value, options);
const noEvents = () => ({ __proto__: null });
const { apply, ownKeys } = Reflect;
const { getPrototypeOf } = Object;

function copyOf(list) {
  const copy = [];
  for (let i = 0; i < list.length; i++) copy[i] = list[i];
  return copy;
}

function EventEmitter(options) {
  if (EventEmitter.init === init) initialize(this, options);
  else apply(EventEmitter.init, this, [options]);
}

function init(options) {
  initialize(this, options);
}
EventEmitter.init = init;

function initialize(emitter, options) {
  if (emitter._events === undefined || emitter._events === getPrototypeOf(emitter)._events) {
    emitter._events = noEvents();
    emitter._eventsCount = 0;
    emitter[kShapeMode] = false;
  } else {
    emitter[kShapeMode] = true;
  }
  emitter._maxListeners ||= undefined;
  if (options?.captureRejections) {
    errors().validateBoolean(options.captureRejections, 'options.captureRejections');
    emitter[kCapture] = true;
  } else {
    // As in Node, an explicit false doesn't turn off a setting for all emitters.
    emitter[kCapture] = EventEmitter.prototype[kCapture];
  }
}

// --- emitting -----------------------------------------------------------------------------------

// Few arguments are passed without an array, so that an event costs little more than the calls of
// its listeners.
function callListener(listener, self, count, args) {
  switch (count) {
    case 1: return invoke(listener, self);
    case 2: return invoke(listener, self, args[1]);
    case 3: return invoke(listener, self, args[1], args[2]);
    default: return apply(listener, self, rest(args));
  }
}

function rest(args) {
  const list = [];
  for (let i = 1; i < args.length; i++) list[i - 1] = args[i];
  return list;
}

function emit(type, first) {
  const events = this._events;
  if (type === 'error') {
    if (events?.[errorMonitor] !== undefined) {
      const args = copyOf(arguments);
      args[0] = errorMonitor;
      apply(this.emit, this, args);
    };
    if (events === undefined || events.error === undefined) throw unhandled(first);
  }
  if (events === undefined) return false;
  const listeners = events[type];
  if (listeners === undefined) return false;
  const count = arguments.length;
  if (typeof listeners === 'function') {
    const result = callListener(listeners, this, count, arguments);
    if (result != null && this[kCapture]) capture(this, result, type, arguments);
    return true;
  }
  // A listener may add and remove others; this event goes to the current ones.
  const now = copyOf(listeners);
  for (let i = 0; i < now.length; i++) {
    const result = callListener(now[i], this, count, arguments);
    if (result != null && this[kCapture]) capture(this, result, type, arguments);
  }
  return true;
}

// Called for a listener that returned a promise: a rejection is to become an event.
function capture(emitter, result, type, args) {
  try {
    const { then } = result;
    if (typeof then !== 'function') return;
    const others = rest(args);
    apply(then, result, [undefined, (error) => process.nextTick(rejected, emitter, error, type, others)]);
  } catch (error) {
    emitter.emit('error', error);
  }
}

function rejected(emitter, error, type, args) {
  if (typeof emitter[rejection] === 'function') {
    const passed = [error, type];
    for (let i = 0; i < args.length; i++) passed[i + 2] = args[i];
    apply(emitter[rejection], emitter, passed);
    return;
  }
  // A rejection of the 'error' listener itself must not be captured again.
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
    text = `${error}`;
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
    events = emitter._events = noEvents();
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    // Emitted before the listener is added, so that a listener for 'newListener' isn't called for
    // itself.
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
  else if (first) putFirst(existing, listener);
  else existing[existing.length] = listener;
  const most = mostListeners(emitter);
  if (most > 0 && list.length > most && !list.warned) warn(emitter, type, list, most);
  return emitter;
}

function putFirst(list, item) {
  for (let i = list.length; i > 0; i--) list[i] = list[i - 1];
  list[0] = item;
}

const mostListeners = (emitter) => emitter._maxListeners ?? defaultMaxListeners;

function warn(emitter, type, list, most) {
  list.warned = true;
  const warning = new Error(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ` +
    `${inspect(emitter, { depth: -1 })}. MaxListeners is ${most}. Use emitter.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  warning.emitter = emitter;
  warning.type = type;
  warning.count = list.length;
  process.emitWarning(warning);
}

function oneTime(emitter, type, listener) {
  checked(listener);
  let fired = false;
  function wrapped(...args) {
    if (fired) return undefined;
    emitter.removeListener(type, wrapped);
    fired = true;
    return apply(listener, emitter, args);
  }
  Object.defineProperty(wrapped, 'name', onceName);
  wrapped.listener = listener;
  return wrapped;
}
const onceName = { __proto__: null, value: 'bound onceWrapper', configurable: true };

const isSame = (each, listener) => each === listener || each.listener === listener;

// Removes a type's last listener, and with it the type, from `_events`.
function forget(emitter, type) {
  const events = emitter._events;
  emitter._eventsCount--;
  if (emitter[kShapeMode]) events[type] = undefined;
  else if (emitter._eventsCount === 0) emitter._events = noEvents();
  else delete events[type];
}

function forgetAll(emitter) {
  emitter._events = noEvents();
  emitter._eventsCount = 0;
  emitter[kShapeMode] = false;
  return emitter;
}

const methods = {
  setMaxListeners(n) {
    checkCount(n, 'setMaxListeners');
    this._maxListeners = n;
    return this;
  },
  getMaxListeners() {
    return mostListeners(this);
  },
  emit,
  addListener(type, listener) {
    return add(this, type, listener, false);
  },
  prependListener(type, listener) {
    return add(this, type, listener, true);
  },
  once(type, listener) {
    this.on(type, oneTime(this, type, listener)); // streams have an on() of their own
    return this;
  },
  prependOnceListener(type, listener) {
    this.prependListener(type, oneTime(this, type, listener));
    return this;
  },
  removeListener(type, listener) {
    checked(listener);
    const events = this._events;
    const list = events?.[type];
    if (list === undefined) return this;
    if (isSame(list, listener)) {
      forget(this, type);
      if (events.removeListener !== undefined) this.emit('removeListener', type, list.listener ?? listener);
    } else if (typeof list !== 'function') {
      let at = list.length - 1;
      while (at >= 0 && !isSame(list[at], listener)) at--;
      if (at < 0) return this;
      for (; at + 1 < list.length; at++) list[at] = list[at + 1];
      list.length--;
      if (list.length === 1) events[type] = list[0];
      if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
    }
    return this;
  },
  removeAllListeners(type) {
    const events = this._events;
    if (events === undefined) return this;
    if (arguments.length === 0) {
      if (events.removeListener === undefined) return forgetAll(this);
      // Each removal is reported; listeners for that event are removed last.
      const types = ownKeys(events);
      for (let i = 0; i < types.length; i++) if (types[i] !== 'removeListener') this.removeAllListeners(types[i]);
      this.removeAllListeners('removeListener');
      return forgetAll(this);
    }
    const list = events[type];
    if (list === undefined) return this;
    if (events.removeListener === undefined) {
      this[kShapeMode] = false;
      forget(this, type);
    } else if (typeof list === 'function') {
      this.removeListener(type, list);
    } else {
      for (let i = list.length - 1; i >= 0; i--) this.removeListener(type, list[i]);
    }
    return this;
  },
  listeners(type) {
    return listOf(this, type, true);
  },
  rawListeners(type) {
    return listOf(this, type, false);
  },
  listenerCount,
  eventNames() {
    const names = [];
    if (this._eventsCount > 0) {
      const types = ownKeys(this._events);
      for (let i = 0; i < types.length; i++) if (this._events[types[i]] !== undefined) names[names.length] = types[i];
    }
    return names;
  },
};

function listOf(emitter, type, unwrap) {
  const listeners = emitter._events?.[type];
  if (listeners === undefined) return [];
  const list = typeof listeners === 'function' ? [listeners] : copyOf(listeners);
  if (unwrap) for (let i = 0; i < list.length; i++) list[i] = list[i].listener ?? list[i];
  return list;
}

function listenerCount(type, listener) {
  const listeners = this._events?.[type];
  if (listeners === undefined) return 0;
  const list = typeof listeners === 'function' ? [listeners] : listeners;
  if (listener == null) return list.length;
  let count = 0;
  for (let i = 0; i < list.length; i++) if (isSame(list[i], listener)) count++;
  return count;
}

const { prototype } = EventEmitter;
prototype._events = undefined;
prototype._eventsCount = 0;
prototype._maxListeners = undefined;
for (const name of over(Object.keys(methods))) {
  prototype[name] = methods[name];
  if (name === 'addListener') prototype.on = methods.addListener;
  if (name === 'removeListener') prototype.off = methods.removeListener;
}
Object.defineProperty(prototype, kCapture, { __proto__: null, value: false, writable: true, enumerable: false });

// --- limits -----------------------------------------------------------------------------------------

function checkCount(count, name) {
  const { invalidArgType, outOfRange } = errors();
  if (typeof count !== 'number') throw invalidArgType(name, 'of type number', count);
  if (!(count >= 0)) throw outOfRange(name, '>= 0', count);
}

let defaultMaxListeners = 10;
const targets = () => require('internal/event_target');
const isTarget = (value) => value instanceof targets().EventTarget;

const notAnEmitter = (value, name = 'emitter') =>
  errors().invalidArgType(name, 'an instance of EventEmitter or EventTarget', value);

function setMaxListeners(n = defaultMaxListeners, ...eventTargets) {
  checkCount(n, 'setMaxListeners');
  if (eventTargets.length === 0) defaultMaxListeners = n;
  for (let i = 0; i < eventTargets.length; i++) {
    const each = eventTargets[i];
    if (typeof each?.setMaxListeners === 'function') each.setMaxListeners(n);
    else if (isTarget(each)) targets().setMost(each, n);
    else throw notAnEmitter(each, 'eventTargets');
  }
}

function getMaxListeners(emitterOrTarget) {
  if (typeof emitterOrTarget?.getMaxListeners === 'function') return mostListeners(emitterOrTarget);
  if (isTarget(emitterOrTarget)) return targets().mostOf(emitterOrTarget) ?? defaultMaxListeners;
  throw notAnEmitter(emitterOrTarget);
}

// --- the rest of the module ---------------------------------------------------------------------------

function getEventListeners(emitterOrTarget, type) {
  if (typeof emitterOrTarget?.listeners === 'function') return emitterOrTarget.listeners(type);
  if (isTarget(emitterOrTarget)) return targets().listenersOf(emitterOrTarget, type);
  throw notAnEmitter(emitterOrTarget);
}

// Emitters of old packages may have no listenerCount of their own.
function countOf(emitter, type) {
  return typeof emitter.listenerCount === 'function' ? emitter.listenerCount(type) : apply(listenerCount, emitter, [type]);
}

function addAbortListener(signal, listener) {
  const { invalidArgType, validateAbortSignal, validateFunction } = errors();
  if (signal === undefined) throw invalidArgType('signal', 'an instance of AbortSignal', signal);
  validateAbortSignal(signal, 'signal');
  validateFunction(listener, 'listener');
  let leave;
  if (signal.aborted) {
    promiseThen.call(PromiseResolve(), () => listener());
  } else {
    // Called even if another listener stops the event.
    signal.addEventListener('abort', listener, { __proto__: null, once: true, [targets().kUnstoppable]: true });
    leave = () => signal.removeEventListener('abort', listener);
  }
  return { __proto__: null, [Symbol.dispose]() { leave?.(); } };
}

async function once(emitter, name, options) {
  return require('internal/events_awaited').once(emitter, name, options);
}

function on(emitter, event, options) {
  return require('internal/events_awaited').on(emitter, event, options);
}

Object.assign(EventEmitter, {
  addAbortListener, once, on, getEventListeners, getMaxListeners, EventEmitter, usingDomains: false,
  captureRejectionSymbol: rejection, errorMonitor, setMaxListeners, listenerCount: countOf,
});
Object.defineProperty(countOf, 'name', { __proto__: null, value: 'listenerCount' });
Object.defineProperties(EventEmitter, {
  EventEmitterAsyncResource: {
    __proto__: null,
    enumerable: true,
    configurable: true,
    get: () => require('internal/events_resource').EventEmitterAsyncResource,
    set(value) { Object.defineProperty(EventEmitter, 'EventEmitterAsyncResource', { __proto__: null, value, writable: true, enumerable: true, configurable: true }); },
  },
  captureRejections: {
    __proto__: null,
    enumerable: true,
    get() { return prototype[kCapture]; },
    set(value) {
      errors().validateBoolean(value, 'EventEmitter.captureRejections');
      prototype[kCapture] = value;
    },
  },
  defaultMaxListeners: {
    __proto__: null,
    enumerable: true,
    get() { return defaultMaxListeners; },
    set(count) {
      checkCount(count, 'defaultMaxListeners');
      defaultMaxListeners = count;
    },
  },
});

module.exports = EventEmitter;
