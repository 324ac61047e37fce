'use strict';
// Event, CustomEvent and EventTarget. Signals are in internal/abort_signal.

const { SymbolFor } = intrinsics;
// own methods: list
const { coded, invalidArgType, invalidArgValue, missingArgs, validateAbortSignal, validateObject } = require('internal/errors');
const { hrtime, startTime } = native('process');


const inspectCustom = SymbolFor('nodejs.util.inspect.custom');
// An option of addEventListener for the runtime's own use: the listener is called even if an
// earlier one has stopped the event.
const kUnstoppable = Symbol('unstoppable');
// An event that the runtime dispatches is trusted.
const kTrusted = Symbol('trusted');
// Called on a target, if it has such a method, when a listener was added.
const kListenerAdded = Symbol('listenerAdded');

const badThis = (name) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);

// The value itself, or the target if it is a proxy, provided that isKind accepts it.
function genuine(value, isKind, name) {
  while (!isKind(value)) {
    value = typeof value === 'object' && value !== null ? native('util').proxyTarget(value) : undefined;
    if (value === undefined) throw badThis(name);
  }
  return value;
}

let isEvent, begin, end, isStopped, isUnderWay;

function checkEvent(value) {
  if (!isEvent(value)) throw badThis('Event');
  return value;
}

class Event {
  #type;
  #bubbles;
  #cancelable;
  #composed;
  #trusted;
  #prevented = false;
  #time = (hrtime() - startTime) / 1e6;
  #target = null;
  #underWay = false;
  #propagates = true;
  #stopped = false;

  static {
    isEvent = (value) => typeof value === 'object' && value !== null && #type in value;
    begin = (event, target) => {
      event.#target = target;
      event.#underWay = true;
    };
    end = (event) => event.#underWay = false;
    isStopped = (event) => event.#stopped;
    isUnderWay = (event) => event.#underWay;
  }

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw missingArgs('The "type" argument');
    if (options != null) validateObject(options, 'options');
    this.#bubbles = Boolean(options?.bubbles);
    this.#cancelable = Boolean(options?.cancelable);
    this.#composed = Boolean(options?.composed);
    this.#trusted = options?.[kTrusted] === true;
    this.#type = `${type}`;
  }

  initEvent(type, bubbles = false, cancelable = false) {
    if (arguments.length === 0) throw missingArgs('The "type" argument');
    if (checkEvent(this).#underWay) return;
    this.#type = `${type}`;
    this.#bubbles = Boolean(bubbles);
    this.#cancelable = Boolean(cancelable);
  }

  stopImmediatePropagation() {
    checkEvent(this).#propagates = false;
    this.#stopped = true;
  }

  preventDefault() { checkEvent(this).#prevented = true; }
  get target() { return checkEvent(this).#target; }
  get currentTarget() { return checkEvent(this).#underWay ? this.#target : null; }
  get srcElement() { return checkEvent(this).#target; }
  get type() { return checkEvent(this).#type; }
  get cancelable() { return checkEvent(this).#cancelable; }
  get defaultPrevented() { return checkEvent(this).#cancelable && this.#prevented; }
  get timeStamp() { return checkEvent(this).#time; }
  composedPath() { return checkEvent(this).#underWay ? [this.#target] : []; }
  get returnValue() { return !checkEvent(this).#cancelable || !this.#prevented; }
  get bubbles() { return checkEvent(this).#bubbles; }
  get composed() { return checkEvent(this).#composed; }
  get eventPhase() { return checkEvent(this).#underWay ? Event.AT_TARGET : Event.NONE; }
  get cancelBubble() { return !checkEvent(this).#propagates; }
  set cancelBubble(stop) { if (checkEvent(this) && stop) this.#propagates = false; }
  stopPropagation() { checkEvent(this).#propagates = false; }
  get isTrusted() { return isEvent(this) && this.#trusted; }

  [inspectCustom](depth, options, inspect) {
    checkEvent(this);
    const { name } = this.constructor;
    if (depth < 0) return name;
    const { type, defaultPrevented, cancelable, timeStamp } = this;
    return `${name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
  }
}

// Methods and getters as the web's interfaces have them: enumerable, under the class's tag.
function asInterface(Class, names) {
  for (let i = 0; i < names.length; i++)
    Object.defineProperty(Class.prototype, names[i], { __proto__: null, enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value: Class.name, configurable: true });
}

asInterface(Event, ['initEvent', 'stopImmediatePropagation', 'preventDefault', 'target', 'currentTarget', 'srcElement',
  'type', 'cancelable', 'defaultPrevented', 'timeStamp', 'composedPath', 'returnValue', 'bubbles', 'composed',
  'eventPhase', 'cancelBubble', 'stopPropagation', 'isTrusted']);
const phases = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
for (let phase = 0; phase < phases.length; phase++)
  Object.defineProperty(Event, phases[phase], { __proto__: null, value: phase, enumerable: true });

class CustomEvent extends Event {
  #detail;

  constructor(type, options) {
    if (arguments.length === 0) throw missingArgs('The "type" argument');
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() {
    if (!isEvent(this) || !(#detail in this)) throw badThis('CustomEvent');
    return this.#detail;
  }
}
asInterface(CustomEvent, ['detail']);

// --- targets --------------------------------------------------------------------------------------

let isTarget, listenersOf, mostOf, setMost;

const checkTarget = (value) => genuine(value, isTarget, 'EventTarget');

function typeOf(type) {
  if (typeof type === 'symbol') throw invalidArgValue('value', type);
  return `${type}`;
}

const NO_OPTIONS = { __proto__: null };

function optionsOf(options) {
  if (typeof options === 'boolean') return { __proto__: null, capture: options };
  if (options == null) return NO_OPTIONS;
  if (typeof options !== 'object' && typeof options !== 'function') throw invalidArgType('options', 'of type object', options);
  return options;
}

function isListener(listener) {
  if (typeof listener === 'function' || typeof listener === 'object' && listener !== null) return true;
  if (listener == null) return false;
  throw invalidArgType('listener', 'an instance of EventListener', listener);
}

function warnOfNothing(target, type, listener) {
  const warning = new Error(`addEventListener called with ${listener} which has no effect.`);
  warning.name = 'AddEventListenerArgumentTypeWarning';
  warning.target = target;
  warning.type = type;
  process.emitWarning(warning);
}

function warnOfMany(target, type, count, most) {
  const shown = require('internal/inspect').inspect(target, { depth: -1 });
  const warning = new Error(`Possible EventTarget memory leak detected. ${count} ${type} listeners added to ${shown}. ` +
    `MaxListeners is ${most}. Use events.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  warning.target = target;
  warning.type = type;
  warning.count = count;
  process.emitWarning(warning);
}

// The listeners of one type are a linked list. An entry that was removed keeps its successor, so
// that a dispatch that has reached it can continue.
class Listeners {
  first = null;
  last = null;
  count = 0;
  warned = false;

  find(listener, capture) {
    let entry = this.first;
    while (entry !== null && (entry.listener !== listener || entry.capture !== capture)) entry = entry.next;
    return entry;
  }

  add(entry) {
    if (this.last === null) this.first = entry;
    else this.last.next = entry;
    this.last = entry;
    this.count++;
  }

  remove(entry) {
    let before = null;
    for (let each = this.first; each !== entry; each = each.next) before = each;
    if (before === null) this.first = entry.next;
    else before.next = entry.next;
    if (this.last === entry) this.last = before;
    entry.removed = true;
    this.count--;
  }
}

class EventTarget {
  #listeners = null; // a Map, once there are any: type → Listeners
  #most; // more listeners than this may be a leak

  static {
    isTarget = (value) => typeof value === 'object' && value !== null && #listeners in value;
    listenersOf = (target, type) => target.#listeners?.get(type);
    mostOf = (target) => target.#most;
    setMost = (target, most) => target.#most = most;
  }

  addEventListener(type, listener, options = NO_OPTIONS) {
    const target = checkTarget(this);
    if (target !== this) return Reflect.apply(target.addEventListener, target, arguments);
    if (arguments.length < 2) throw missingArgs('The "type" and "listener" arguments');
    const asked = optionsOf(options);
    const once = Boolean(asked.once);
    const capture = Boolean(asked.capture);
    Boolean(asked.passive); // listeners can't prevent anything here, but a getter sees that it was asked for
    const { signal } = asked;
    validateAbortSignal(signal, 'options.signal');
    if (!isListener(listener)) {
      warnOfNothing(this, type, listener);
      return;
    }
    type = typeOf(type);
    if (signal?.aborted) return;
    if (signal !== undefined)
      signal.addEventListener('abort', () => this.removeEventListener(type, listener, asked), { __proto__: null, once: true, [kUnstoppable]: true });
    this.#listeners ??= new Map();
    let list = this.#listeners.get(type);
    if (list === undefined) this.#listeners.set(type, list = new Listeners());
    if (list.find(listener, capture) !== null) return;
    list.add({ listener, once, capture, unstoppable: asked[kUnstoppable] === true, removed: false, next: null });
    const most = this.#most ?? require('events').defaultMaxListeners;
    if (most > 0 && list.count > most && !list.warned) {
      list.warned = true;
      warnOfMany(this, type, list.count, most);
    }
    this[kListenerAdded]?.();
  }

  removeEventListener(type, listener, options = NO_OPTIONS) {
    const target = checkTarget(this);
    if (target !== this) return Reflect.apply(target.removeEventListener, target, arguments);
    if (arguments.length < 2) throw missingArgs('The "type" and "listener" arguments');
    if (!isListener(listener)) return;
    type = typeOf(type);
    const capture = typeof options === 'boolean' ? options : Boolean(options?.capture);
    const list = listenersOf(this, type);
    const entry = list?.find(listener, capture) ?? null;
    if (entry === null) return;
    list.remove(entry);
    if (list.count === 0) this.#listeners.delete(type);
  }

  dispatchEvent(event) {
    const target = checkTarget(this);
    if (target !== this) return Reflect.apply(target.dispatchEvent, target, arguments);
    if (arguments.length === 0) throw missingArgs('The "event" argument');
    if (!isEvent(event)) throw invalidArgType('event', 'an instance of Event', event);
    if (isUnderWay(event)) throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    begin(event, this);
    const { type } = event;
    let entry = listenersOf(this, type)?.first ?? null;
    while (entry !== null) {
      const { next } = entry;
      if (!entry.removed && (entry.unstoppable || !isStopped(event))) callEntry(this, type, entry, event);
      entry = next;
    }
    end(event);
    return !event.defaultPrevented;
  }

  [inspectCustom](depth, options, inspect) {
    const { name } = checkTarget(this).constructor;
    return depth < 0 ? name : `${name} ${inspect({}, options)}`;
  }
}
asInterface(EventTarget, ['addEventListener', 'removeEventListener', 'dispatchEvent']);
const { removeEventListener } = EventTarget.prototype;

function callEntry(target, type, entry, event) {
  const { listener } = entry;
  if (entry.once) {
    const list = listenersOf(target, type);
    if (list !== undefined && list.find(listener, entry.capture) === entry)
      Reflect.apply(removeEventListener, target, [type, listener, entry.capture]); // its own: the program may have replaced that of the target
  }
  try {
    const result = typeof listener === 'function' ? Reflect.apply(listener, target, [event]) : listener.handleEvent?.(event);
    if (result != null && typeof result.then === 'function') Reflect.apply(result.then, result, [undefined, later]);
  } catch (error) {
    later(error);
  }
}

// A listener's error becomes an uncaught error of the process.
function later(error) {
  process.nextTick(() => {
    throw error;
  });
}

// onabort and the like: a property that is a listener, at the position where it was first set.
function handlerProperty(prototype, type) {
  const key = Symbol(`on${type}`);
  const check = (value) => {
    if (!isTarget(value)) throw invalidArgType('this', 'an instance of EventTarget', value);
    return value;
  };
  Object.defineProperty(prototype, `on${type}`, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      return check(this)[key]?.current ?? null;
    },
    set(handler) {
      check(this);
      const current = typeof handler === 'function' || typeof handler === 'object' && handler !== null ? handler : null;
      if (this[key] === undefined) {
        if (current === null) return;
        const slot = { current };
        Object.defineProperty(this, key, { __proto__: null, value: slot });
        this.addEventListener(type, function (event) {
          if (typeof slot.current === 'function') Reflect.apply(slot.current, this, [event]);
        });
      }
      this[key].current = current;
    },
  });
}

module.exports = {
  CustomEvent,
  Event,
  EventTarget,
  asInterface,
  badThis,
  genuine,
  handlerProperty,
  kListenerAdded,
  kTrusted,
  kUnstoppable,
  mostOf,
  setMost,
  listenersOf(target, type) {
    const list = [];
    for (let entry = listenersOf(target, type)?.first ?? null; entry !== null; entry = entry.next)
      list[list.length] = entry.listener;
    return list;
  },
};
