'use strict';
// AbortController and AbortSignal. A source that may abort a signal holds a reference to it only
// while somebody listens; otherwise the signal can be collected as if it had no source.

// own methods: followers, signal.#sources
const { ArrayIsArray, SymbolFor, weakrefDeref } = intrinsics;
const { coded, invalidArgType, validateInteger } = require('internal/errors');
const { Event, EventTarget, asInterface, genuine, handlerProperty, kListenerAdded, kTrusted } = require('internal/event_target');

const inspectCustom = SymbolFor('nodejs.util.inspect.custom');
const kMake = Symbol('make');
const isObject = (value) => typeof value === 'object' && value !== null;
const exception = (message, name) => new (require('internal/clone').DOMException)(message, name);
let isSignal, abort;
let forgotten, forgottenTimers, weakTimers;

const checkSignal = (value) => genuine(value, isSignal, 'AbortSignal');

function prepareTimers() {
  require('timers');
  const { weakTimers: timers } = require('internal/tools');
  timers.onDue((signal) => abort(signal, exception('The operation was aborted due to timeout', 'TimeoutError')));
  forgottenTimers = new FinalizationRegistry(timers.end);
  return timers;
}

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  #sources = null; // a Set, of any(): the signals that abort this one, none of them made by any() itself
  #links = null; // from the sources, until somebody listens
  #followers = null; // a Set of links to the signals of any() that are aborted with this one
  #timer; // that aborts this signal

  static {
    isSignal = (value) => isObject(value) && #aborted in value;
    abort = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason;
      signal.dispatchEvent(new Event('abort', { __proto__: null, [kTrusted]: true }));
      const followers = signal.#followers;
      if (followers === null) return;
      signal.#followers = null;
      followers.forEach((link) => {
        const follower = weakrefDeref.call(link.ref);
        if (follower !== undefined) abort(follower, reason);
      });
    };
  }

  constructor(key) {
    if (key !== kMake) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
  }

  get aborted() { return checkSignal(this).#aborted; }
  get reason() { return checkSignal(this).#reason; }

  throwIfAborted() {
    const signal = checkSignal(this);
    if (signal.#aborted) throw signal.#reason;
  }

  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return options.stylize('[AbortSignal]', 'special');
    return `AbortSignal ${inspect({ aborted: this.aborted }, options)}`;
  }

  static abort(reason = exception('This operation was aborted', 'AbortError')) {
    const signal = new AbortSignal(kMake);
    signal.#aborted = true;
    signal.#reason = reason;
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
    if (!ArrayIsArray(signals)) throw invalidArgType('signals', 'an instance of Array', signals);
    for (let i = 0; i < signals.length; i++)
      if (!isSignal(signals[i])) throw invalidArgType(`signals[${i}]`, 'an instance of AbortSignal', signals[i]);
    const result = new AbortSignal(kMake);
    result.#sources = new Set();
    for (let i = 0; i < signals.length; i++) {
      const signal = signals[i];
      if (signal.#aborted) {
        result.#aborted = true;
        result.#reason = signal.#reason;
        break;
      }
      // A signal of any() is replaced by its sources: all followers of a signal are aborted in the
      // order in which they were made, however they are nested.
      if (signal.#sources === null) result.#follow(signal);
      else signal.#sources.forEach((source) => result.#follow(source));
    }
    return result;
  }

  #follow(source) {
    if (this.#sources.has(source)) return;
    this.#sources.add(source);
    const followers = source.#followers ??= new Set();
    const link = { ref: new WeakRef(this), listenedTo: undefined };
    followers.add(link);
    if (this.#links === null) this.#links = [link];
    else this.#links[this.#links.length] = link;
    forgotten ??= new FinalizationRegistry((forget) => forget());
    forgotten.register(this, () => followers.delete(link));
  }

  [kListenerAdded]() {
    const links = this.#links;
    if (links !== null) for (let i = 0; i < links.length; i++) links[i].listenedTo = this;
    this.#links = null;
    if (this.#timer !== undefined) weakTimers.hold(this.#timer, this);
  }
}
asInterface(AbortSignal, ['aborted']);
handlerProperty(AbortSignal.prototype, 'abort');

class AbortController {
  #signal = new AbortSignal(kMake);

  get signal() { return this.#signal; }

  abort(reason = exception('This operation was aborted', 'AbortError')) {
    abort(this.#signal, reason);
  }

  [inspectCustom](depth, options, inspect) {
    if (depth < 0) return options.stylize('[AbortController]', 'special');
    return `AbortController ${inspect({ signal: this.signal }, options)}`;
  }
}
asInterface(AbortController, ['signal', 'abort']);

module.exports = { AbortController, AbortSignal };
