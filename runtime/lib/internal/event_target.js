'use strict';
// Event, EventTarget, AbortController and AbortSignal.

const { coded, invalidArgType, missingArgs, validateInteger, validateObject } = require('internal/errors');

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// How far an event has come: not dispatched, on its way, stopped, stopped at once, arrived.
const [NEW, UNDER_WAY, STOPPED, STOPPED_AT_ONCE, DONE] = [0, 1, 2, 3, 4];
let begin, end, progress;

class Event {
  #type;
  #options;
  #prevented = false;
  #time = performance.now();
  #target = null;
  #progress = NEW;

  static {
    begin = (event, target) => {
      event.#target = target;
      event.#progress = UNDER_WAY;
    };
    end = (event) => event.#progress = DONE;
    progress = (event) => event.#progress;
  }

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw missingArgs('The "type" argument');
    if (options != null) validateObject(options, 'options');
    this.#type = `${type}`;
    this.#options = options ?? {};
  }

  get type() { return this.#type; }
  get target() { return this.#target; }
  get currentTarget() { return this.#progress < DONE ? this.#target : null; }
  get srcElement() { return this.#target; }
  get cancelable() { return Boolean(this.#options.cancelable); }
  get bubbles() { return Boolean(this.#options.bubbles); }
  get composed() { return Boolean(this.#options.composed); }
  get defaultPrevented() { return this.cancelable && this.#prevented; }
  get timeStamp() { return this.#time; }
  get eventPhase() { return this.#progress === NEW || this.#progress === DONE ? 0 : 2; }
  get isTrusted() { return false; }
  get cancelBubble() { return this.#progress === STOPPED || this.#progress === STOPPED_AT_ONCE; }
  set cancelBubble(stop) { if (stop) this.stopPropagation(); }
  get returnValue() { return !this.defaultPrevented; }

  preventDefault() { this.#prevented = true; }
  stopPropagation() { this.#progress = Math.max(this.#progress, STOPPED); }
  stopImmediatePropagation() { this.#progress = Math.max(this.#progress, STOPPED_AT_ONCE); }
  composedPath() { return this.eventPhase === 0 ? [] : [this.#target]; }

  [inspectCustom](depth, options, inspect) {
    const { name } = this.constructor;
    if (depth < 0) return name;
    const { type, defaultPrevented, cancelable, timeStamp } = this;
    return `${name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
  }
}
Object.assign(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });
Object.defineProperty(Event.prototype, Symbol.toStringTag, { value: 'Event', configurable: true });

class CustomEvent extends Event {
  #detail;

  constructor(type, options) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() { return this.#detail; }
}

let listenersOf;
const NOBODY = new Map();

class EventTarget {
  #listeners = null; // a Map, once there are any: type → entries

  static {
    listenersOf = (target, type) => (target.#listeners ?? NOBODY).get(type) ?? [];
  }

  addEventListener(type, listener, options = {}) {
    if (arguments.length < 2) throw missingArgs('The "type" and "listener" arguments');
    if (typeof options === 'boolean') options = { capture: options };
    if (listener == null) {
      const warning = new Error(`addEventListener called with ${listener} which has no effect.`);
      warning.name = 'AddEventListenerArgumentTypeWarning';
      process.emitWarning(Object.assign(warning, { target: this, type }));
      return;
    }
    if (typeof listener !== 'function' && typeof listener !== 'object')
      throw invalidArgType('listener', 'an instance of EventListener', listener);
    const { once = false, capture = false, signal } = options ?? {};
    if (signal?.aborted) return;
    const list = listenersOf(this, `${type}`);
    if (list.some((each) => each.listener === listener && each.capture === Boolean(capture))) return;
    list.push({ listener, once, capture: Boolean(capture), removed: false });
    (this.#listeners ??= new Map()).set(`${type}`, list);
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true });
  }

  removeEventListener(type, listener, options = {}) {
    const capture = Boolean(typeof options === 'boolean' ? options : options?.capture);
    const list = listenersOf(this, `${type}`);
    const at = list.findIndex((each) => each.listener === listener && each.capture === capture);
    if (at < 0) return;
    list[at].removed = true;
    this.#listeners.set(`${type}`, list.filter((each, index) => index !== at));
  }

  dispatchEvent(event) {
    if (arguments.length === 0) throw missingArgs('The "event" argument');
    if (!(event instanceof Event)) throw invalidArgType('event', 'an instance of Event', event);
    if (progress(event) !== NEW && progress(event) !== DONE)
      throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    begin(event, this);
    for (const entry of [...listenersOf(this, event.type)]) {
      if (entry.removed) continue;
      if (entry.once) this.removeEventListener(event.type, entry.listener, { capture: entry.capture });
      try {
        const { listener } = entry;
        const result = typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent?.(event);
        if (typeof result?.then === 'function') result.then(undefined, later);
      } catch (error) {
        later(error);
      }
      if (progress(event) === STOPPED_AT_ONCE) break;
    }
    end(event);
    return !event.defaultPrevented;
  }
}
Object.defineProperty(EventTarget.prototype, Symbol.toStringTag, { value: 'EventTarget', configurable: true });

// A listener's error is nobody's but the process's.
function later(error) {
  process.nextTick(() => {
    throw error;
  });
}

// onabort and its like: a property that is a listener.
function handlerProperty(prototype, type) {
  const key = Symbol(`on${type}`);
  Object.defineProperty(prototype, `on${type}`, {
    configurable: true,
    enumerable: true,
    get() {
      return this[key]?.current ?? null;
    },
    set(handler) {
      if (this[key] === undefined) {
        const slot = { current: null };
        Object.defineProperty(this, key, { value: slot });
        this.addEventListener(type, function (event) {
          slot.current?.call(this, event);
        });
      }
      this[key].current = typeof handler === 'function' ? handler : null;
    },
  });
}

const kMake = Symbol('make');
const kAbort = Symbol('abort');
let forgotten, forgottenTimers, weakTimers;
const exception = (message, name) => new (require('internal/clone').DOMException)(message, name);

function prepareTimers() {
  require('timers');
  const { weakTimers: timers } = require('internal/tools');
  timers.onDue((signal) => signal[kAbort](exception('The operation was aborted due to timeout', 'TimeoutError')));
  forgottenTimers = new FinalizationRegistry(timers.end);
  return timers;
}

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  #links = null; // from what may abort this signal
  #timer; // that aborts it
  #followers; // links to the signals of any() that are aborted with this one

  constructor(key) {
    if (key !== kMake) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
  }

  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  [kAbort](reason = exception('This operation was aborted', 'AbortError')) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.dispatchEvent(new Event('abort'));
    for (const link of this.#followers ?? []) link.ref.deref()?.[kAbort](reason);
  }

  static abort(reason) {
    const signal = new AbortSignal(kMake);
    signal[kAbort](reason);
    return signal;
  }

  static timeout(delay) {
    validateInteger(delay, 'delay', 0, 2 ** 32 - 1);
    const signal = new AbortSignal(kMake);
    weakTimers ??= prepareTimers();
    signal.#timer = weakTimers.start(delay, signal);
    forgottenTimers.register(signal, signal.#timer);
    return signal;
  }

  static any(signals) {
    if (!Array.isArray(signals)) throw invalidArgType('signals', 'an instance of Array', signals);
    signals.forEach((signal, index) => {
      if (!(signal instanceof AbortSignal)) throw invalidArgType(`signals[${index}]`, 'an instance of AbortSignal', signal);
    });
    const result = new AbortSignal(kMake);
    for (const signal of signals) {
      if (signal.aborted) {
        result[kAbort](signal.reason);
        break;
      }
      const followers = signal.#followers ??= new Set();
      const link = result.#link(() => followers.delete(link));
      followers.add(link);
    }
    return result;
  }

  // What may abort a signal may live long, so it holds on to it only if somebody listens;
  // forget() is called when the signal is gone.
  #link(forget) {
    const link = { ref: new WeakRef(this), listenedTo: undefined };
    (this.#links ??= []).push(link);
    forgotten ??= new FinalizationRegistry((callback) => callback());
    forgotten.register(this, forget);
    return link;
  }

  addEventListener(...args) {
    super.addEventListener(...args);
    for (const link of this.#links ?? []) link.listenedTo = this;
    this.#links = null;
    if (this.#timer !== undefined) weakTimers.hold(this.#timer, this);
  }

  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return options.stylize('[AbortSignal]', 'special');
    return `AbortSignal ${inspect({ aborted: this.aborted }, options)}`;
  }
}
handlerProperty(AbortSignal.prototype, 'abort');
Object.defineProperty(AbortSignal.prototype, Symbol.toStringTag, { value: 'AbortSignal', configurable: true });

class AbortController {
  #signal = new AbortSignal(kMake);

  get signal() { return this.#signal; }

  abort(reason) {
    this.#signal[kAbort](reason);
  }

  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return options.stylize('[AbortController]', 'special');
    return `AbortController ${inspect({ signal: this.signal }, options)}`;
  }
}
Object.defineProperty(AbortController.prototype, Symbol.toStringTag, { value: 'AbortController', configurable: true });

module.exports = {
  AbortController,
  AbortSignal,
  CustomEvent,
  Event,
  EventTarget,
  listenersOf: (target, type) => listenersOf(target, type).map((entry) => entry.listener),
};
