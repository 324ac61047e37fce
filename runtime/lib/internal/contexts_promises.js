'use strict';
// Contexts through promises and `await`, from the first AsyncLocalStorage or enabled hook on.
//
// then(): replaced by a function that lets reactions run in the context of the call.
//
// await: the engine takes no function of ours, but before it waits for a promise it reads the
// promise's `constructor`, as the language demands. A getter in the place of
// Promise.prototype.constructor learns of every await in that way, just before the engine adds its
// own reaction, and adds one of ours, which is called one microtask earlier: it sets the context
// in which the function goes on, and nothing comes between the two. No microtask of the program
// comes earlier or later for it.
//
// A value that isn't a promise has no constructor that the engine asks for. Files that are loaded
// from now on are changed a little (internal/contexts_awaits): they wait for Promise.resolve(value),
// which takes as long. Other places where `constructor` is read (isQuiet) are the runtime's and the
// engine's.

const { PromiseReject, PromiseResolve, over } = intrinsics;
const tools = require('internal/tools');
const contexts = require('internal/contexts');
const { Context, emitInit, hooks, leave, newId, react, run } = contexts;

const { prototype } = Promise;
const { finally: genuineFinally, then: genuineThen } = prototype;
const { resolve: genuineResolve } = Promise;

let isQuiet = false;
const ids = new WeakMap(); // promise → the number it has for hooks

// The number of a promise; one that nobody has seen yet is announced now, since the engine doesn't
// say when it makes one.
function idOf(promise) {
  let id = ids.get(promise);
  if (id !== undefined) return id;
  ids.set(promise, id = newId());
  emitInit(id, 'PROMISE', contexts.current.id, promise);
  return id;
}

// A promise that is made settled.
function seen(promise) {
  if (isHooked()) contexts.emitResolve(idOf(promise));
  return promise;
}

// The context of a reaction to a promise; it is announced when its own promise is there.
const isHooked = () => hooks.init.length > 0;
function contextFor(promise) {
  const { current } = contexts;
  const trigger = promise !== undefined && isHooked() ? idOf(promise) : current.id;
  return new Context(newId(), trigger, promise, contexts.stored);
}

function announce(context, promise) {
  context.resource = promise;
  if (!isHooked()) return;
  ids.set(promise, context.id);
  contexts.announceCollected(context, 'PROMISE');
}

// Stand-ins where the program has no function for a reaction, so that hooks hear of the reaction.
const same = (value) => value;
const fail = (error) => { throw error; };
const passOn = (context, given, fn) => isHooked() ? (value) => react(context, fn, value) : given;

function then(self, onFulfilled, onRejected) {
  const before = isQuiet;
  isQuiet = true;
  try {
    if (!(self instanceof Promise)) return Reflect.apply(genuineThen, self, [onFulfilled, onRejected]);
    const context = contextFor(self);
    const promise = Reflect.apply(genuineThen, self, [
      typeof onFulfilled === 'function' ? (value) => react(context, onFulfilled, value) : passOn(context, onFulfilled, same),
      typeof onRejected === 'function' ? (error) => react(context, onRejected, error) : passOn(context, onRejected, fail),
    ]);
    announce(context, promise);
    return promise;
  } finally {
    isQuiet = before;
  }
}

// Called by the engine for `await`.
function awaited(promise) {
  isQuiet = true;
  try {
    const context = contextFor(promise);
    const set = () => leave(context);
    announce(context, Reflect.apply(genuineThen, promise, [set, set]));
  } finally {
    isQuiet = false;
  }
}

function quietly(fn, self, args) {
  const before = isQuiet;
  isQuiet = true;
  try {
    return Reflect.apply(fn, self, args);
  } finally {
    isQuiet = before;
  }
}

// The engine calls the `then` of a thenable in a microtask, which is to run in the context of now.
// `then` is read once, as always, unless it is no function.
function resolveForeign(value) {
  let foreign;
  try {
    foreign = value.then;
  } catch (error) {
    return PromiseReject(error);
  }
  if (typeof foreign !== 'function') return Reflect.apply(genuineResolve, Promise, [value]);
  const context = contextFor(undefined);
  return Reflect.apply(genuineResolve, Promise, [{
    __proto__: null,
    then: (done, failed) => react(context, () => Reflect.apply(foreign, value, [done, failed])),
  }]);
}

const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';

function replace(object, name, value) {
  Object.defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

let isInstalled = false;
function install() {
  if (isInstalled) return;
  isInstalled = true;
  native('util').promiseHandled(PromiseResolve()); // learns how with promises of its own, which nobody shall see
  tools.wrapsAwaits = true;
  if (tools.hasPlainAwaits()) contexts.useMarks();
  tools.contexts.withPromise = withPromise;
  const methods = {
    then(onFulfilled, onRejected) { return then(this, onFulfilled, onRejected); },
    finally(onFinally) { return quietly(genuineFinally, this, [onFinally]); },
    resolve(value) {
      if (this === Promise && isObject(value) && !(value instanceof Promise)) return resolveForeign(value);
      const promise = isObject(value) ? quietly(genuineResolve, this, [value]) : Reflect.apply(genuineResolve, this, [value]);
      return promise !== value ? seen(promise) : promise;
    },
  };
  for (const name of over(['all', 'allSettled', 'any', 'race', 'reject'])) {
    const genuine = Promise[name];
    const made = {
      [name](value) {
        const promise = Reflect.apply(genuine, this, [value]);
        if (name === 'reject') seen(promise);
        else if (isHooked()) idOf(promise);
        return promise;
      },
    };
    replace(Promise, name, made[name]);
  }
  replace(prototype, 'then', methods.then);
  replace(prototype, 'finally', methods.finally);
  replace(Promise, 'resolve', methods.resolve);
  // The runtime's own use of the saved functions.
  replace(genuineThen, 'call', then);
  replace(genuineResolve, 'call', (self, value) => quietly(genuineResolve, self, [value]));
  Object.defineProperty(prototype, 'constructor', {
    __proto__: null,
    get() {
      if (!isQuiet && this !== prototype && this instanceof Promise) awaited(this);
      return Promise;
    },
    set(value) {
      Object.defineProperty(this, 'constructor', { __proto__: null, value, writable: true, enumerable: this !== prototype, configurable: true });
    },
    enumerable: false,
    configurable: true,
  });
}

// In the context of a promise, if hooks know it: the listeners of 'unhandledRejection'.
function withPromise(promise, fn) {
  const id = ids.get(promise);
  return id === undefined ? fn() : run(new Context(id, contexts.current.id, promise, contexts.stored), fn, undefined, []);
}

module.exports = { install };
