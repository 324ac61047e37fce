'use strict';
// Asynchronous contexts: which code has begun what runs now. Loaded with async_hooks, and started
// by the first thing that needs them (start(), below); until then ticks, timers and requests know
// nothing of them.
//
// A context is made when something begins that will call back (a timer, a request, a promise's
// reaction), and what it calls back runs in it. Each context has two numbers, the resource that it
// is about, and the values of every AsyncLocalStorage, which are taken over from the context that it
// was made in.
//
// Who calls back enters in one of two ways: `run` restores the context before it, whatever
// happens; `enter` is for calls from C with nothing below them: if the function throws, its
// context stays, so that the listeners of 'uncaughtException' run in it, and reset() ends it.

const { PromiseResolve, arrayPush } = intrinsics;
const tools = require('internal/tools');
const binding = native('contexts');

// The values of the storages: a list that never changes, newest first.
class Stored {
  constructor(storage, value, next) {
    this.storage = storage;
    this.value = value;
    this.next = next;
  }
}

function without(list, storage) {
  if (list === undefined) return undefined;
  if (list.storage === storage) return list.next;
  const next = without(list.next, storage);
  return next === list.next ? list : new Stored(list.storage, list.value, next);
}

function find(list, storage) {
  while (list !== undefined && list.storage !== storage) list = list.next;
  return list;
}

const withValue = (list, storage, value) => new Stored(storage, value, without(list, storage));

// A storage that is disabled keeps the values it has, but they aren't handed on.
let anyDisabled = false;
function handedOn(list) {
  if (list === undefined) return undefined;
  const next = handedOn(list.next);
  if (!list.storage.enabled) return next;
  return next === list.next ? list : new Stored(list.storage, list.value, next);
}

class Context {
  constructor(id, trigger, resource, stored) {
    this.id = id;
    this.trigger = trigger;
    this.resource = resource;
    this.stored = stored;
    this.isDestroyed = false;
  }
}

const bottom = new Context(0, 0, {}, undefined); // nothing of the program's runs
let current = bottom;
const MAIN = 1; // the number of the first script, which has no 'before' and 'after'
let lastId = MAIN;
const newId = () => ++lastId;

// --- hooks -------------------------------------------------------------------------------------

const NONE = [];
const hooks = { __proto__: null, init: NONE, before: NONE, after: NONE, destroy: NONE, promiseResolve: NONE };

// An error of a hook ends the program: nobody else can handle it.
function fatal(error) {
  process._rawDebug(typeof error?.stack === 'string' ? error.stack : new Error(String(error)).stack);
  process.exit(1);
}

function emit(list, id) {
  try {
    for (let i = 0; i < list.length; i++) list[i](id);
  } catch (error) {
    fatal(error);
  }
}

function emitInit(id, type, trigger, resource) {
  const list = hooks.init;
  try {
    for (let i = 0; i < list.length; i++) list[i](id, type, trigger, resource);
  } catch (error) {
    fatal(error);
  }
}

const emitResolve = (id) => { if (hooks.promiseResolve.length > 0) emit(hooks.promiseResolve, id); };
const emitBefore = (id) => { if (hooks.before.length > 0) emit(hooks.before, id); };
const emitAfter = (id) => { if (hooks.after.length > 0) emit(hooks.after, id); };

// 'destroy' comes later, all of a turn together, and keeps nothing alive.
let destroyed = [];
function emitDestroyed() {
  while (destroyed.length > 0) {
    const list = destroyed;
    destroyed = [];
    for (let i = 0; i < list.length; i++) emit(hooks.destroy, list[i]);
  }
}

function queueDestroy(id) {
  if (hooks.destroy.length === 0) return;
  if (arrayPush.call(destroyed, id) > 1) return;
  require('timers');
  tools.soon(emitDestroyed);
}

const collected = new FinalizationRegistry(destroy);

// The end of a context, or of the part of it that outlives its resource.
function destroy(end) {
  if (end.isDestroyed) return;
  end.isDestroyed = true;
  queueDestroy(end.id);
}

// A promise whose constructor is its own: see internal/contexts_promises.
const resolved = Object.defineProperty(PromiseResolve(), 'constructor', { __proto__: null, value: Promise });
const { then } = Promise.prototype;

// --- contexts --------------------------------------------------------------------------------------

let cause; // the trigger of what begins, if it isn't what runs
function begin(type, resource, trigger = cause ?? current.id) {
  const stored = anyDisabled ? handedOn(current.stored) : current.stored;
  const context = new Context(++lastId, trigger, resource, stored);
  if (hooks.init.length > 0) emitInit(context.id, type, trigger, resource);
  return context;
}

// Announces to the hooks a context that is made; the end of its resource is its collection.
function announceCollected(context, type) {
  emitInit(context.id, type, context.trigger, context.resource);
  if (hooks.destroy.length > 0) collected.register(context.resource, context.end = { id: context.id, isDestroyed: false });
}

// The context that the last microtask left, whose end nobody has seen: an await goes on in one
// microtask, and its context is set by another right before it (internal/contexts_promises).
let left;
const { left: isLeft } = binding;

function endLeft() {
  const { id } = left;
  left = undefined;
  emitResolve(id);
  emitAfter(id);
  current = bottom;
}

function leave(context) {
  if (left !== undefined) endLeft();
  left = current = context;
  isLeft[0] = 1;
  emitBefore(context.id);
  if (rounds > 0) mark();
}

// --- marks -------------------------------------------------------------------------------------------

// In a file that was loaded too early to be changed (internal/contexts_awaits), a function that
// awaits what isn't a promise goes on in a microtask that nobody announces. Such a microtask comes
// after a mark, though: a microtask of ours that is queued whenever the context changes, and sets
// the context of what is queued behind it. Since such a function may wait in that way again, a mark
// is queued anew, a few times from the last sign of life on.
const ROUNDS = 8;
let rounds = 0; // 0: there is no such file
let lastMark; // the one that was queued last, until it comes

function mark() {
  const { id, stored, trigger, resource } = current;
  if (lastMark === undefined || lastMark.context.stored !== stored || lastMark.context.id !== id)
    queueMark({ context: new Context(id, trigger, resource, stored), rounds });
  else
    lastMark.rounds = rounds;
}

function queueMark(given) {
  lastMark = given;
  Reflect.apply(then, resolved, [() => {
    if (lastMark === given) lastMark = undefined;
    if (left !== undefined) endLeft();
    current = given.context; // hooks hear nothing of it
    isLeft[0] = 1;
    if (given.rounds-- > 0) queueMark(given);
  }]);
}

function useMarks() {
  if (rounds > 0) return;
  rounds = ROUNDS;
  mark();
}

function run(context, fn, self, args) {
  const before = current;
  current = context;
  emitBefore(context.id);
  if (rounds > 0) mark();
  try {
    return Reflect.apply(fn, self, args);
  } finally {
    if (hooks.after.length > 0) emit(hooks.after, context.id);
    current = before;
    if (rounds > 0) mark();
  }
}

function enter(context, fn, self, ...args) {
  opened(context);
  const result = Reflect.apply(fn, self, args);
  closed(context);
  return result;
}

// As `enter`, for calls from within another context, which is restored unless the function throws.
function within(context, fn, ...args) {
  const before = current;
  current = context;
  emitBefore(context.id);
  if (rounds > 0) mark();
  const result = Reflect.apply(fn, undefined, args);
  emitAfter(context.id);
  current = before;
  if (rounds > 0) mark();
  return result;
}

// The two halves of enter, for those that call in other ways.
function opened(context) {
  if (left !== undefined) endLeft();
  current = context;
  emitBefore(context.id);
  if (rounds > 0) mark();
}

function closed(context) {
  emitAfter(context.id);
  current = bottom;
}

// A handled error of the program has ended what ran.
function reset() {
  left = undefined;
  if (current.id > MAIN) emitAfter(current.id);
  current = bottom;
}

// A promise's reaction.
function react(context, fn, value) {
  if (left !== undefined) endLeft();
  const before = current;
  current = context;
  emitBefore(context.id);
  if (rounds > 0) mark();
  try {
    return fn(value);
  } finally {
    emitResolve(context.id);
    if (hooks.after.length > 0) emit(hooks.after, context.id);
    current = before;
  }
}

// The handle of a connection that a server accepts belongs to nobody's context, as in Node.
function accepted(server, make) {
  const before = current;
  current = bottom;
  try {
    return causedBy(server, make);
  } finally {
    current = before;
  }
}

// C's share: a context for a request or a handle, and the end of microtasks.
const owners = new WeakMap(); // a handle's owner → its context
const SERVERS = { __proto__: null, TCPWRAP: 'TCPSERVERWRAP', PIPEWRAP: 'PIPESERVERWRAP' };

function capture(type, cause, owner) {
  if (owner === undefined) return begin(type, {}, cause?.id);
  const kind = SERVERS[type] !== undefined && typeof owner.listen === 'function' ? SERVERS[type] : type;
  const context = begin(kind, {});
  owners.set(owner, context);
  return context;
}

// Contexts that begin in `work` are caused by the handle of this owner.
function causedBy(owner, work) {
  const before = cause;
  cause = owners.get(owner)?.id;
  try {
    return work();
  } finally {
    cause = before;
  }
}

function settle() {
  if (left !== undefined) endLeft();
  current = bottom;
}

// --- ticks and microtasks ------------------------------------------------------------------------------

function tick(callback, args) {
  const resource = { callback, args, context: undefined };
  resource.context = begin('TickObject', resource);
  return resource;
}

function runTick(resource) {
  const { callback, args, context } = resource;
  opened(context);
  try {
    if (args.length === 0) callback();
    else Reflect.apply(callback, undefined, args);
  } finally {
    destroy(context);
  }
  closed(context);
}

// queueMicrotask
function soon(callback) {
  const context = begin('Microtask', { callback });
  Reflect.apply(then, resolved, [() => {
    settle();
    try {
      run(context, callback, undefined, []);
    } catch (error) {
      native('process').uncaught(error); // in no context, as in Node
    }
    destroy(context);
  }]);
}

// A function that runs in the context of now. For what the runtime keeps for later by itself.
function bind(fn, type = 'bound-anonymous-fn') {
  const context = begin(type, {});
  return function () {
    return run(context, fn, this, arguments);
  };
}

let isStarted = false;
function start() {
  if (isStarted) return;
  isStarted = true;
  if (tools.runsMain) current = new Context(MAIN, 0, {}, undefined);
  tools.startContexts({ accepted, bind, begin, causedBy, closed, destroy, emitDestroyed, enter, opened, reset, run, runTick, soon, tick, within });
  binding.install(capture, enter, settle, destroy);
}

module.exports = {
  Context, announceCollected, begin, bind, destroy, emitInit, emitResolve, find, hooks, leave, newId, queueDestroy, react, run, start, useMarks, withValue, without,
  changed() { if (rounds > 0) mark(); }, // the values of the context that runs
  get current() { return current; },
  get stored() { return anyDisabled ? handedOn(current.stored) : current.stored; }, // what a new context takes over
  set anyDisabled(on) { anyDisabled = on; },
};
