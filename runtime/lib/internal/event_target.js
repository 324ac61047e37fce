'use strict';
// Event, EventTarget, AbortController and AbortSignal.

const { invalidArgType, coded } = require('internal/errors');

const kTarget = Symbol('target');
const kStop = Symbol('stop');
const kListeners = Symbol('listeners');

class Event {
  #type;
  #options;
  #prevented = false;
  #time = performance.now();

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
    this.#type = `${type}`;
    this.#options = options ?? {};
    this[kTarget] = null;
    this[kStop] = 0;
  }

  get type() { return this.#type; }
  get target() { return this[kTarget]; }
  get currentTarget() { return this[kStop] < 3 ? this[kTarget] : null; }
  get srcElement() { return this[kTarget]; }
  get cancelable() { return Boolean(this.#options.cancelable); }
  get bubbles() { return Boolean(this.#options.bubbles); }
  get composed() { return Boolean(this.#options.composed); }
  get defaultPrevented() { return this.cancelable && this.#prevented; }
  get timeStamp() { return this.#time; }
  get eventPhase() { return this[kTarget] === null ? 0 : 2; }
  get isTrusted() { return false; }
  get cancelBubble() { return this[kStop] > 0; }
  get returnValue() { return !this.defaultPrevented; }

  preventDefault() { this.#prevented = true; }
  stopPropagation() { this[kStop] = Math.max(this[kStop], 1); }
  stopImmediatePropagation() { this[kStop] = 2; }
  composedPath() { return this[kTarget] === null ? [] : [this[kTarget]]; }
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

class EventTarget {
  constructor() {
    Object.defineProperty(this, kListeners, { value: new Map() });
  }

  addEventListener(type, listener, options = {}) {
    if (typeof options === 'boolean') options = { capture: options };
    if (listener == null) return;
    if (typeof listener !== 'function' && typeof listener !== 'object')
      throw invalidArgType('listener', 'an instance of EventListener', listener);
    const { once = false, capture = false, signal } = options ?? {};
    if (signal?.aborted) return;
    const list = this[kListeners].get(`${type}`) ?? [];
    if (list.some((each) => each.listener === listener && each.capture === Boolean(capture))) return;
    list.push({ listener, once, capture: Boolean(capture), removed: false });
    this[kListeners].set(`${type}`, list);
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true });
  }

  removeEventListener(type, listener, options = {}) {
    const capture = Boolean(typeof options === 'boolean' ? options : options?.capture);
    const list = this[kListeners].get(`${type}`);
    const at = list?.findIndex((each) => each.listener === listener && each.capture === capture) ?? -1;
    if (at < 0) return;
    list[at].removed = true;
    this[kListeners].set(`${type}`, list.filter((each, index) => index !== at));
  }

  dispatchEvent(event) {
    if (!(event instanceof Event)) throw invalidArgType('event', 'an instance of Event', event);
    if (event[kTarget] !== null && event[kStop] < 3)
      throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    event[kTarget] = this;
    event[kStop] = 0;
    for (const entry of [...this[kListeners].get(event.type) ?? []]) {
      if (entry.removed) continue;
      if (entry.once) this.removeEventListener(event.type, entry.listener, { capture: entry.capture });
      try {
        const { listener } = entry;
        const result = typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent?.(event);
        if (typeof result?.then === 'function') result.then(undefined, later);
      } catch (error) {
        later(error);
      }
      if (event[kStop] === 2) break;
    }
    event[kStop] = 3;
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
const exception = (message, name) => new (require('internal/clone').DOMException)(message, name);

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;

  constructor(key) {
    if (key !== kMake) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
  }

  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  [kStop](reason) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason === undefined ? exception('This operation was aborted', 'AbortError') : reason;
    this.dispatchEvent(new Event('abort'));
  }

  static abort(reason) {
    const signal = new AbortSignal(kMake);
    signal[kStop](reason);
    return signal;
  }

  static timeout(delay) {
    const signal = new AbortSignal(kMake);
    setTimeout(() => signal[kStop](exception('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
    return signal;
  }

  static any(signals) {
    const result = new AbortSignal(kMake);
    for (const signal of signals) {
      if (signal.aborted) {
        result[kStop](signal.reason);
        break;
      }
      signal.addEventListener('abort', () => result[kStop](signal.reason), { once: true });
    }
    return result;
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    return `AbortSignal ${inspect({ aborted: this.aborted }, options)}`;
  }
}
handlerProperty(AbortSignal.prototype, 'abort');
Object.defineProperty(AbortSignal.prototype, Symbol.toStringTag, { value: 'AbortSignal', configurable: true });

class AbortController {
  #signal = new AbortSignal(kMake);

  get signal() { return this.#signal; }

  abort(reason) {
    this.#signal[kStop](reason);
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
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
  listenersOf: (target, type) => (target[kListeners].get(type) ?? []).map((entry) => entry.listener),
};
