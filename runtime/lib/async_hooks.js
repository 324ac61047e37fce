'use strict';
// async_hooks: what began what runs now, and values that belong to it. internal/contexts keeps the
// contexts; this is Node's face of them.

// own methods: AsyncLocalStorage, AsyncResource, resource
const { NumberIsSafeInteger, arrayFilter, arrayPush, over, stringSplit } = intrinsics;
const contexts = require('internal/contexts');
const { coded, validateFunction, validateString } = require('internal/errors');

const { announceCollected, begin, destroy, emitInit, find, hooks, queueDestroy, run, withValue, without } = contexts;

const withPromises = () => {
  contexts.start();
  require('internal/contexts_promises').install();
};

// --- what runs now ---------------------------------------------------------------------------

function now() {
  contexts.start();
  return contexts.current;
}

const executionAsyncId = () => now().id;
const triggerAsyncId = () => now().trigger;
const executionAsyncResource = () => now().resource;

// --- AsyncResource -------------------------------------------------------------------------------

const kId = Symbol('async_id_symbol');
const kTrigger = Symbol('trigger_async_id_symbol');
const contextOf = new WeakMap();

function checkTrigger(trigger) {
  if (NumberIsSafeInteger(trigger) && trigger >= -1) return;
  const { shown } = require('internal/errors');
  throw coded(RangeError, 'ERR_INVALID_ASYNC_ID', `Invalid triggerAsyncId value: ${shown(trigger)}`);
}

// A bound function, with the `this` of its caller.
function boundToCaller(resource, fn) {
  return function bound(...args) {
    return resource.runInAsyncScope(fn, this, ...over(args));
  };
}

function boundTo(resource, fn, thisArg) {
  const bound = (...args) => resource.runInAsyncScope(fn, thisArg, ...over(args));
  return Object.defineProperty(bound, 'name', { __proto__: null, value: 'bound runInAsyncScope', configurable: true });
}

// A bound function is as long as its function, and still has the property that Node advises against.
function describeBound(bound, fn, resource) {
  let shown = resource;
  const warn = () => require('util').deprecate(() => {}, 'The asyncResource property on bound functions is deprecated', 'DEP0172')();
  const get = () => (warn(), shown);
  const set = (value) => {
    warn();
    shown = value;
  };
  Object.defineProperty(bound, 'length', { __proto__: null, value: fn.length, configurable: true });
  return Object.defineProperty(bound, 'asyncResource', { __proto__: null, get, set, enumerable: true, configurable: true });
}

class AsyncResource {
  constructor(type, options = {}) {
    validateString(type, 'type');
    contexts.start();
    const isNumber = typeof options === 'number';
    const given = isNumber ? options : options.triggerAsyncId;
    const trigger = given === undefined ? contexts.current.id : given;
    checkTrigger(trigger);
    const keepsEnd = !isNumber && Boolean(options.requireManualDestroy);
    if (type.length === 0 && hooks.init.length > 0) throw coded(TypeError, 'ERR_ASYNC_TYPE', `Invalid name for async "type": ${type}`);
    const context = new contexts.Context(contexts.newId(), trigger, this, contexts.stored);
    this[kId] = context.id;
    this[kTrigger] = trigger;
    contextOf.set(this, context);
    if (keepsEnd) emitInit(context.id, type, trigger, this);
    else announceCollected(context, type);
  }

  runInAsyncScope(fn, thisArg, ...args) {
    return run(contextOf.get(this), fn, thisArg, args);
  }

  // Each call is an event of its own, as in Node.
  emitDestroy() {
    const context = contextOf.get(this);
    if (context.end !== undefined) context.end.isDestroyed = true;
    queueDestroy(context.id);
    return this;
  }

  asyncId() {
    return this[kId];
  }

  triggerAsyncId() {
    return this[kTrigger];
  }

  bind(fn, thisArg) {
    validateFunction(fn, 'fn');
    return describeBound(thisArg === undefined ? boundToCaller(this, fn) : boundTo(this, fn, thisArg), fn, this);
  }

  static bind(fn, type, thisArg) {
    type = type || fn.name;
    const resource = new AsyncResource(type || 'bound-anonymous-fn');
    return resource.bind(fn, thisArg);
  }
}

// --- AsyncLocalStorage ---------------------------------------------------------------------------

class AsyncLocalStorage {
  constructor() {
    withPromises();
    this.kResourceStore = Symbol('kResourceStore');
    this.enabled = false;
  }

  static bind(fn) {
    return AsyncResource.bind(fn);
  }

  static snapshot() {
    return AsyncLocalStorage.bind((callback, ...args) => Reflect.apply(callback, undefined, args));
  }

  disable() {
    if (!this.enabled) return;
    this.enabled = false;
    contexts.anyDisabled = true;
  }

  _enable() {
    this.enabled = true;
  }

  _propagate(resource, from) {
    contextOf.get(resource).stored = contextOf.get(from).stored;
  }

  enterWith(store) {
    this._enable();
    const { current } = contexts;
    current.stored = withValue(current.stored, this, store);
    contexts.changed();
  }

  run(store, callback, ...args) {
    if (Object.is(store, this.getStore())) return Reflect.apply(callback, null, args);
    this._enable();
    const { current } = contexts;
    const before = find(current.stored, this);
    current.stored = withValue(current.stored, this, store);
    contexts.changed();
    try {
      return Reflect.apply(callback, null, args);
    } finally {
      const rest = without(current.stored, this);
      current.stored = before === undefined ? rest : before.next === rest ? before : withValue(rest, this, before.value);
      contexts.changed();
    }
  }

  exit(callback, ...args) {
    if (!this.enabled) return Reflect.apply(callback, null, args);
    this.disable();
    try {
      return Reflect.apply(callback, null, args);
    } finally {
      this._enable();
    }
  }

  getStore() {
    return this.enabled ? find(contexts.current.stored, this)?.value : undefined;
  }
}

// --- createHook ------------------------------------------------------------------------------------

const EVENTS = ['init', 'before', 'after', 'destroy', 'promiseResolve'];
const symbols = { __proto__: null };
for (const event of over(EVENTS)) symbols[event] = Symbol(event);

class AsyncHook {
  constructor(callbacks) {
    const { init, before, after, destroy, promiseResolve } = callbacks;
    const given = { __proto__: null, init, before, after, destroy, promiseResolve };
    for (const event of over(EVENTS)) {
      if (given[event] !== undefined && typeof given[event] !== 'function')
        throw coded(TypeError, 'ERR_ASYNC_CALLBACK', `hook.${event} must be a function`);
      this[symbols[event]] = given[event];
    }
  }

  enable() {
    if (enabled.has(this)) return this;
    const own = { __proto__: null };
    enabled.set(this, own);
    for (const event of over(EVENTS)) {
      const callback = this[symbols[event]];
      if (callback === undefined) continue;
      // A list that is being walked doesn't change.
      own[event] = (...args) => Reflect.apply(callback, this, args);
      const list = [...over(hooks[event])];
      arrayPush.call(list, own[event]);
      hooks[event] = list;
    }
    return this;
  }

  disable() {
    const own = enabled.get(this);
    if (own === undefined) return this;
    enabled.delete(this);
    for (const event of over(EVENTS)) hooks[event] = arrayFilter.call(hooks[event], (each) => each !== own[event]);
    return this;
  }
}

const enabled = new Map();

function createHook(callbacks) {
  const hook = new AsyncHook(callbacks);
  withPromises(); // now, so that the hook, once it is enabled, hears of promises from before that
  return hook;
}

// The types of resources that Node's own code makes, numbered.
const asyncWrapProviders = { __proto__: null };
const providers = stringSplit.call('NONE DIRHANDLE DNSCHANNEL ELDHISTOGRAM FILEHANDLE FILEHANDLECLOSEREQ BLOBREADER FSEVENTWRAP ' +
  'FSREQCALLBACK FSREQPROMISE GETADDRINFOREQWRAP GETNAMEINFOREQWRAP HEAPSNAPSHOT HTTP2SESSION HTTP2STREAM HTTP2PING ' +
  'HTTP2SETTINGS HTTPINCOMINGMESSAGE HTTPCLIENTREQUEST JSSTREAM JSUDPWRAP MESSAGEPORT PIPECONNECTWRAP PIPESERVERWRAP PIPEWRAP ' +
  'PROCESSWRAP PROMISE QUERYWRAP QUIC_LOGSTREAM QUIC_PACKET SHUTDOWNWRAP SIGNALWRAP STATWATCHER STREAMPIPE TCPCONNECTWRAP ' +
  'TCPSERVERWRAP TCPWRAP TTYWRAP UDPSENDWRAP UDPWRAP SIGINTWATCHDOG WORKER WORKERHEAPSNAPSHOT WRITEWRAP ZLIB CHECKPRIMEREQUEST ' +
  'PBKDF2REQUEST KEYPAIRGENREQUEST KEYGENREQUEST KEYEXPORTREQUEST CIPHERREQUEST DERIVEBITSREQUEST HASHREQUEST ' +
  'RANDOMBYTESREQUEST RANDOMPRIMEREQUEST SCRYPTREQUEST SIGNREQUEST TLSWRAP VERIFYREQUEST', ' ');
for (let i = 0; i < providers.length; i++) asyncWrapProviders[providers[i]] = i;
Object.freeze(asyncWrapProviders);

module.exports = {
  AsyncLocalStorage,
  createHook,
  executionAsyncId,
  triggerAsyncId,
  executionAsyncResource,
  asyncWrapProviders,
  AsyncResource,
};
