'use strict';
// diagnostics_channel: named channels for messages about what a program does. Publishing to a
// channel without subscribers only reads a property.

const { PromiseReject, PromiseResolve, arrayIndexOf, arraySlice, arraySplice, promiseThen, weakrefDeref } = intrinsics;
const { invalidArgType, validateFunction } = require('internal/errors');
const tools = require('internal/tools');

// A channel is kept alive by those who have a reference to it; by its name only while it has
// subscribers.
const channels = new Map(); // name → { ref: WeakRef, held: the channel or undefined }

function later(error) {
  process.nextTick(() => native('process').uncaught(error));
}

class Channel {
  #subscribers = []; // replaced, never changed: a message goes to the current ones
  #stores = []; // of { store, transform }

  constructor(name) {
    this.name = name;
    channels.set(name, { ref: new WeakRef(this), held: undefined });
  }

  get hasSubscribers() {
    return this.#subscribers.length > 0 || this.#stores.length > 0;
  }

  // If another channel was made under the name meanwhile, that one keeps the name.
  #keep() {
    const entry = channels.get(this.name);
    if (entry !== undefined && weakrefDeref.call(entry.ref) === this) entry.held = this.hasSubscribers ? this : undefined;
  }

  subscribe(subscription) {
    validateFunction(subscription, 'subscription');
    const list = arraySlice.call(this.#subscribers);
    list[list.length] = subscription;
    this.#subscribers = list;
    this.#keep();
  }

  unsubscribe(subscription) {
    const at = arrayIndexOf.call(this.#subscribers, subscription);
    if (at < 0) return false;
    const list = arraySlice.call(this.#subscribers);
    arraySplice.call(list, at, 1);
    this.#subscribers = list;
    this.#keep();
    return true;
  }

  publish(data) {
    const list = this.#subscribers;
    for (let i = 0; i < list.length; i++) {
      const subscription = list[i];
      try {
        subscription(data, this.name);
      } catch (error) {
        later(error);
      }
    }
  }

  #placeOf(store) {
    let at = this.#stores.length - 1;
    while (at >= 0 && this.#stores[at].store !== store) at--;
    return at;
  }

  bindStore(store, transform) {
    const at = this.#placeOf(store);
    this.#stores[at < 0 ? this.#stores.length : at] = { store, transform };
    this.#keep();
  }

  unbindStore(store) {
    const at = this.#placeOf(store);
    if (at < 0) return false;
    arraySplice.call(this.#stores, at, 1);
    this.#keep();
    return true;
  }

  // Calls fn inside the run() of every store that is bound, after the message was published.
  runStores(data, fn, thisArg, ...args) {
    let run = () => {
      this.publish(data);
      return Reflect.apply(fn, thisArg, args);
    };
    for (let i = 0; i < this.#stores.length; i++) run = inStore(this.#stores[i], data, run);
    return run();
  }
}

function inStore({ store, transform }, data, next) {
  return () => {
    let context = data;
    try {
      if (transform !== undefined) context = transform(data);
    } catch (error) {
      later(error);
      return next();
    }
    return store.run(context, next);
  };
}

function channel(name) {
  if (typeof name !== 'string' && typeof name !== 'symbol') throw invalidArgType('channel', 'one of type string or symbol', name);
  const entry = channels.get(name);
  return (entry === undefined ? undefined : weakrefDeref.call(entry.ref)) ?? new Channel(name);
}

function subscribe(name, subscription) {
  return channel(name).subscribe(subscription);
}

function unsubscribe(name, subscription) {
  return channel(name).unsubscribe(subscription);
}

function hasSubscribers(name) {
  const entry = channels.get(name);
  return entry !== undefined && entry.held !== undefined;
}

// --- tracing --------------------------------------------------------------------------------------

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

function channelOf(nameOrChannels, event) {
  if (typeof nameOrChannels === 'string') return channel(`tracing:${nameOrChannels}:${event}`);
  if (typeof nameOrChannels !== 'object' || nameOrChannels === null)
    throw invalidArgType('nameOrChannels', 'of type string or an instance of TracingChannel or Object', nameOrChannels);
  const given = nameOrChannels[event];
  if (!(given instanceof Channel)) throw invalidArgType(`nameOrChannels.${event}`, 'an instance of Channel', given);
  return given;
}

class TracingChannel {
  constructor(nameOrChannels) {
    for (let i = 0; i < EVENTS.length; i++)
      Object.defineProperty(this, EVENTS[i], { __proto__: null, value: channelOf(nameOrChannels, EVENTS[i]), configurable: true });
  }

  get hasSubscribers() {
    for (let i = 0; i < EVENTS.length; i++) if (this[EVENTS[i]].hasSubscribers) return true;
    return false;
  }

  subscribe(handlers) {
    for (let i = 0; i < EVENTS.length; i++) {
      const handler = handlers[EVENTS[i]];
      if (handler) this[EVENTS[i]].subscribe(handler);
    }
  }

  unsubscribe(handlers) {
    let isDone = true;
    for (let i = 0; i < EVENTS.length; i++) {
      const handler = handlers[EVENTS[i]];
      if (handler && !this[EVENTS[i]].unsubscribe(handler)) isDone = false;
    }
    return isDone;
  }

  // Calls fn between 'start' and 'end'; an exception is published and thrown again.
  #call(context, work) {
    return this.start.runStores(context, () => {
      try {
        return work();
      } catch (error) {
        context.error = error;
        this.error.publish(context);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  traceSync(fn, context = {}, thisArg = undefined, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    return this.#call(context, () => context.result = Reflect.apply(fn, thisArg, args));
  }

  tracePromise(fn, context = {}, thisArg = undefined, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const settled = () => {
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
    };
    const kept = (result) => {
      context.result = result;
      settled();
      return result;
    };
    const failed = (error) => {
      context.error = error;
      this.error.publish(context);
      settled();
      return PromiseReject(error);
    };
    return this.#call(context, () => {
      const made = Reflect.apply(fn, thisArg, args);
      return promiseThen.call(made instanceof Promise ? made : PromiseResolve(made), kept, failed);
    });
  }

  traceCallback(fn, position = -1, context = {}, thisArg = undefined, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const trace = this;
    const at = position < 0 ? args.length + position : position;
    const callback = args[at];
    validateFunction(callback, 'callback');
    args[at] = function (error, result) {
      if (error) {
        context.error = error;
        trace.error.publish(context);
      } else {
        context.result = result;
      }
      return trace.asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(callback, this, arguments);
        } finally {
          trace.asyncEnd.publish(context);
        }
      });
    };
    return this.#call(context, () => Reflect.apply(fn, thisArg, args));
  }
}

function tracingChannel(nameOrChannels) {
  return new TracingChannel(nameOrChannels);
}

// Publishes messages of the runtime's own modules; before this module is loaded nobody can
// subscribe.
tools.publish = (name, data) => {
  if (hasSubscribers(name)) channel(name).publish(data);
};

module.exports = { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe, Channel };
