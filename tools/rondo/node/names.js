'use strict';
// Preloaded into Node by `rondo trace`: gives the spans of a recording the names of the
// program's own functions, with file and line. A request is "GET /report", a timer the
// function that it calls; what microtasks take is that of the callback which they follow.
// Nothing that the program sees is changed: no function is wrapped or replaced, and where
// anything is missing, nothing is named.
//
// The cost is two calls into C for each callback of the program's own. Node's own ticks, of
// which a request has a dozen, are named only while there are few of them; a function that
// is called again and again, such as a tick that asks for the next, has one span with the
// number of calls. addon_spans.c has the other half.
(() => {
  let recorder;
  try {
    const addon = { exports: {} };
    process.dlopen(addon, require('path').join(__dirname, 'rondo-node.node'));
    recorder = addon.exports;
  } catch {
    return; // not on Rondo's library, or a Node without Node-API
  }
  if (!recorder.active()) return;
  recorder.nameCode();
  const { constants: kinds } = require('perf_hooks');
  recorder.watchCollections(kinds.NODE_PERFORMANCE_GC_MINOR, kinds.NODE_PERFORMANCE_GC_MAJOR,
    kinds.NODE_PERFORMANCE_GC_INCREMENTAL, kinds.NODE_PERFORMANCE_GC_WEAKCB);
  // A ring that is left on in production has the names of stacks, which cost nothing until
  // they are asked for, and those of requests only if they were asked for.
  const { RONDO_TRACE, RONDO_RECORD, RONDO_RECORD_NAMES } = process.env;
  const inRing = RONDO_RECORD !== undefined && !RONDO_TRACE;
  if (inRing && RONDO_RECORD_NAMES !== '1') return;
  const { rename, placeOf, lineOf, columnOf, targetOf } = recorder;

  const DESCRIBED = Symbol.for('rondo.described');
  const CALLED = Symbol.for('rondo.called'); // of a request whose callback Node has wrapped: by steps.js

  // --- functions -------------------------------------------------------------------------

  const names = new WeakMap();

  const nameOf = (fn) => (typeof fn.name === 'string' && fn.name !== '' ? fn.name : '(anonymous)');

  // A bound function is known by the one that it calls.
  function targetBehind(bound) {
    let fn = bound;
    for (let depth = 0; depth < 8; depth++) {
      const target = targetOf(fn);
      if (typeof target !== 'function') break;
      fn = target;
    }
    return fn;
  }

  // With the file and line where the function is defined, if the engine knows.
  function nameAndPlace(called) {
    let name = names.get(called);
    if (name !== undefined) return name;
    const fn = targetBehind(called);
    const script = placeOf(fn);
    const line = lineOf(fn);
    name = nameOf(fn);
    if (typeof script === 'string' && script !== '' && line > 0) {
      const file = script.startsWith('file://') ? script.slice(7) : script;
      name += ` ${file}:${line}`;
      // Whoever reads the recording finds the function in a bundle, and in its source map, by it.
      const column = file.startsWith('/') ? columnOf(fn) : 0;
      if (column > 0) name += `:${column}`;
    }
    names.set(called, name);
    return name;
  }

  // A function of the program's has a place, and not inside Node: the others are Node's own, or
  // the engine's, such as that which resolves a promise.
  const outside = / (?!node:)\S.*:\d+$/;
  const isOfProgram = (fn) => typeof fn === 'function' && outside.test(nameAndPlace(fn));

  // --- requests --------------------------------------------------------------------------

  // Published just before the server's listeners are called.
  const requests = require('diagnostics_channel').channel('http.server.request.start');

  // The path goes without its query, which may be long and may be secret.
  function pathOf(url) {
    const text = String(url);
    const query = text.indexOf('?');
    return query < 0 ? text : text.slice(0, query);
  }

  // The server's first listener, without the array that `listeners` would make.
  function listenerOfServer(server) {
    const listeners = server?._events?.request;
    const first = Array.isArray(listeners) ? listeners[0] : listeners;
    return first?.listener ?? first;
  }

  // Most servers have few paths, and joining the parts of a name takes longer than finding it.
  const RECENT_MOST = 1000;
  const recent = new Map(); // by path: the last name that was made for it, and of what

  function nameOfRequest({ method, url }, server) {
    const path = pathOf(url);
    const listener = listenerOfServer(server);
    const known = recent.get(path);
    if (known !== undefined && known.method === method && known.listener === listener) return known;
    const route = `${method} ${path}`;
    const name = typeof listener === 'function' ? `${route} ${nameAndPlace(listener)}` : route;
    if (recent.size >= RECENT_MOST) recent.clear();
    const made = { method, listener, name, route, number: -1, prompt: 0 };
    recent.set(path, made);
    return made;
  }

  // In a ring only the loop's callback that brings a request gets its name: hooks for all callbacks
  // would cost a third of a small request.
  if (inRing) {
    requests.subscribe(({ request, server }) => rename(nameOfRequest(request, server).name));
    return;
  }

  // --- what Node calls: timers, immediates, ticks, requests ----------------------------

  const { AsyncLocalStorage, createHook, executionAsyncResource } = require('async_hooks');
  const spans = recorder.spans();
  if (spans === undefined) return;
  const { shared, begin, beginRequest, beginRequestInstead, end, endRun, tail, reset } = spans;

  const functionOf = (resource) => resource._onTimeout ?? resource._onImmediate ??
    resource.callback ?? resource.context?.callback;
  const withRoute = (name, route) => (route === undefined ? name : `${name} for ${route}`);

  // The number by which the recorder knows a name.
  const NUMBERS_MOST = 30000;
  const numbers = new Map();
  function numberOf(name) {
    let number = numbers.get(name);
    if (number === undefined) {
      number = spans.text(name);
      if (numbers.size < NUMBERS_MOST) numbers.set(name, number);
    }
    return number;
  }

  // The same for a function, and by the request that it is called for.
  const functions = new WeakMap();
  function numberOfFunction(fn, route) {
    let known = functions.get(fn);
    if (known === undefined) functions.set(fn, known = { alone: -1, routes: new Map() });
    if (route === undefined) {
      if (known.alone < 0) known.alone = numberOf(nameAndPlace(fn));
      return known.alone;
    }
    let number = known.routes.get(route);
    if (number === undefined) {
      number = numberOf(withRoute(nameAndPlace(fn), route));
      if (known.routes.size >= RECENT_MOST) known.routes.clear();
      known.routes.set(route, number);
    }
    return number;
  }

  // The object that Node keeps beside a handle of libuv's: the socket, server, process or watcher.
  let ownerSymbol;
  function ownerOf(handle) {
    if (handle === null || typeof handle !== 'object') return undefined;
    ownerSymbol ??= Object.getOwnPropertySymbols(handle).find(({ description }) => description === 'owner_symbol');
    return ownerSymbol === undefined ? undefined : handle[ownerSymbol];
  }

  // The events by which a program knows an object best come first.
  const EVENTS_FIRST = ['request', 'connection', 'secureConnection', 'stream', 'session', 'response', 'upgrade',
    'data', 'readable', 'message', 'line', 'exit', 'change', 'connect', 'listening', 'end', 'finish', 'close'];
  const ARGUMENTS_MOST = 4;
  const listeners = new WeakMap(); // of an object: those found, and how many events had some then

  // The program's own listener of a socket, pipe, server or the like: of the event that the name of
  // Node's function contains ("emitListeningNT"), otherwise whichever event it is.
  function listenerOf(emitter, caller) {
    if (emitter === null || typeof emitter !== 'object' || typeof emitter.listeners !== 'function') return undefined;
    let known = listeners.get(emitter);
    if (known === undefined || known.count !== emitter._eventsCount)
      listeners.set(emitter, known = { count: emitter._eventsCount, found: new Map() });
    if (known.found.has(caller)) return known.found.get(caller);
    const events = emitter._events ?? {};
    const named = Object.keys(events).filter((event) => caller.toLowerCase().includes(event.toLowerCase()));
    const found = [...named, ...EVENTS_FIRST.filter((event) => events[event] !== undefined), ...Object.keys(events)]
      .flatMap((event) => emitter.listeners(event)).find(isOfProgram);
    known.found.set(caller, found);
    return found;
  }

  // The program's function that a callback of Node's own leads to: that of its arguments, or a
  // listener of the object which it is about, or of the server that has accepted it.
  function functionBehind(resource, caller) {
    const given = Array.isArray(resource.args) ? resource.args.slice(0, ARGUMENTS_MOST) : [];
    const direct = given.find(isOfProgram);
    if (direct !== undefined) return direct;
    const owner = ownerOf(resource) ?? ownerOf(resource.handle) ?? resource.socket ?? resource.req;
    if (isOfProgram(owner?.cb)) return owner.cb; // zlib
    for (const about of [owner, ...given, owner?.server, owner?._httpMessage]) {
      const listener = listenerOf(about, caller);
      if (listener !== undefined) return listener;
    }
    return undefined;
  }

  // A callback is known by the program's own function; by a function inside Node only where none
  // of the program's is known.
  function nameOfCallback(resource, fn, route) {
    const described = resource[DESCRIBED]; // by `rondo sim`, which says more
    if (typeof described === 'string') return { name: `~${described}`, spans: true, lasts: false };
    const called = resource[CALLED];
    if (typeof called === 'string') return { name: called, spans: true, lasts: false };
    const kind = resource.constructor?.name ?? 'callback';
    const own = typeof fn === 'function' && nameAndPlace(fn).includes(' node:') ? nameAndPlace(fn) : kind;
    const caller = own === kind ? kind : nameOf(fn);
    const behind = route === undefined ? functionBehind(resource, caller) : undefined;
    if (behind !== undefined)
      return { name: `${caller} of ${nameAndPlace(behind)}`, spans: true, lasts: ownerOf(resource) !== undefined };
    return { name: withRoute(own, route), spans: own !== kind || route !== undefined, lasts: false };
  }

  // Whatever an object of the program's does when it is looked at is no reason to end it.
  function safeNameOfCallback(resource, fn, route) {
    try {
      return nameOfCallback(resource, fn, route);
    } catch {
      return { name: 'callback', spans: false, lasts: false };
    }
  }

  // --- spans ---------------------------------------------------------------------------

  // Of the shared memory: how often the function of the open run was called, that it was called
  // more often, and how many of Node's own ticks and of other objects may still be named.
  const RUN = 0, RUN_MORE = 1, TICKS = 2, FINDS = 3;
  // The state of an open callback: nothing, a span, or a part of the run.
  const NOTHING = 0, SPAN = 1, PART = 2;
  const DEPTH_MOST = 256;
  const open = new Uint8Array(DEPTH_MOST);
  let depth = 0;
  let tailNumber = 0; // of an outermost callback without a span

  // A run begins when a function has been called so often, each time right after itself. When
  // there are very many calls, even a hook that does nothing takes longer than they.
  const RUN_AFTER = 16, RUN_MOST = 2000;
  let last, streak = 0;

  // Node's own functions that run in ticks are few, and looked at all the time.
  const ownTicks = [];
  const OWN_TICKS_MOST = 16;
  const programs = new WeakSet();
  function isOwnTick(fn) {
    for (let i = 0; i < ownTicks.length; i++) if (ownTicks[i] === fn) return true;
    if (programs.has(fn)) return false;
    if (isOfProgram(fn)) {
      programs.add(fn);
      return false;
    }
    if (ownTicks.length < OWN_TICKS_MOST) ownTicks.push(fn);
    return true;
  }

  // --- the request that a callback works for -------------------------------------------

  // Where AsyncLocalStorage is built on hooks (before Node 24), it looks at every promise. There a
  // hook of our own hands the route on instead: to what a callback begins, and to what the
  // microtasks behind it begin, unless it was a handle's, which works for many requests.
  const storage = '_propagate' in AsyncLocalStorage.prototype ? undefined : new AsyncLocalStorage();
  const kRoute = Symbol('rondo route');
  const routes = new Array(DEPTH_MOST).fill(undefined); // of the open callbacks
  let route; // of the innermost, or of the microtasks behind the outermost

  const routeNow = () => (storage === undefined ? route : storage.getStore());

  // Ticks run right behind the callback that asked for them.
  function init(id, type, trigger, resource) {
    if (route !== undefined && type !== 'TickObject') handOn(resource);
  }

  function handOn(resource) {
    try {
      resource[kRoute] = route;
    } catch {
      // a resource that the program has frozen
    }
  }

  function enterRoute(started, at) {
    if (storage !== undefined) return storage.enterWith(started);
    route = started;
    if (at >= 0) handOn(executionAsyncResource());
  }

  let keepsRoute = true; // for the microtasks behind the outermost callback

  // --- what has a span -----------------------------------------------------------------

  const found = new WeakMap(); // by handle: the number of its last name

  function openSpan(at, number) {
    begin(number);
    open[at] = SPAN;
  }

  // Anything but a tick: a timer, an immediate, a request or a handle. While there are too many to
  // seek a name for each, those that had one before keep it.
  function beginOther(resource, at) {
    if (at === 0 && route !== undefined && typeof resource.close === 'function') keepsRoute = false;
    const fn = functionOf(resource);
    if (isOfProgram(fn)) return openSpan(at, numberOfFunction(fn, routeNow()));
    if (resource instanceof Promise) return undefined;
    if (--shared[FINDS] < 0) {
      const number = found.get(resource);
      return number === undefined ? undefined : openSpan(at, number);
    }
    return beginNamed(resource, fn, at);
  }

  function beginNamed(resource, fn, at) {
    const { name, spans: has, lasts } = safeNameOfCallback(resource, fn, routeNow());
    const number = numberOf(name);
    if (lasts) found.set(resource, number);
    if (has) openSpan(at, number);
    else if (at === 0) tailNumber = number;
  }

  function beginTick(resource, fn, at) {
    if (isOwnTick(fn)) {
      last = undefined;
      if (--shared[TICKS] >= 0) beginNamed(resource, fn, at);
      else if (shared[RUN] > 0) endRun();
      return;
    }
    openSpan(at, numberOfFunction(fn, routeNow()));
    if (at > 0) return;
    streak = fn === last ? streak + 1 : 0;
    last = fn;
    if (streak < RUN_AFTER) return;
    shared[RUN] = 1;
    open[at] = PART;
  }

  function before() {
    const resource = executionAsyncResource();
    const at = depth++;
    if (at >= DEPTH_MOST) return;
    open[at] = NOTHING;
    const tick = resource.callback;
    if (storage === undefined) {
      if (at > 0) routes[at] = route;
      if (tick === undefined || resource.constructor !== Object) route = resource[kRoute];
    }
    if (tick === last && at === 0 && shared[RUN] > 0) {
      shared[RUN]++;
      open[at] = PART;
    } else if (typeof tick === 'function') {
      beginTick(resource, tick, at);
    } else {
      last = undefined;
      beginOther(resource, at);
    }
  }

  // The microtasks follow the outermost callback, and belong to its request if it has one.
  function after() {
    if (depth === 0) return; // an error that nobody caught
    if (--depth >= DEPTH_MOST) return;
    const had = open[depth];
    if (depth === answering) noteAnswer();
    if (depth > 0) {
      if (storage === undefined) route = routes[depth];
    } else if (!keepsRoute) {
      route = undefined;
      keepsRoute = true;
    }
    if (had === SPAN) end();
    else if (had === PART && shared[RUN] >= RUN_MOST) restFromRun();
    else if (depth === 0 && tailNumber !== 0) {
      tail(tailNumber);
      tailNumber = 0;
    }
  }

  // Following routes costs as much again as all else, so it is left out while no request needs it:
  // those of a path whose last hundred were answered before their callback returned don't.
  const callbacks = createHook({ before, after, trackPromises: false });
  const callbacksAndRoutes = storage === undefined ? createHook({ init, before, after, trackPromises: false }) : callbacks;
  let hook = callbacksAndRoutes;
  const PROMPT_AFTER = 100, REST_AFTER = 1000;
  let answering = -1; // how deep the callback of a request is whose answer is looked for
  let answer, asked; // that answer, and what is known of such requests
  let untracked = 0;

  function useHook(wanted) {
    if (hook === wanted) return;
    hook.disable();
    hook = wanted.enable();
  }

  function noteAnswer() {
    asked.prompt = answer.writableEnded ? asked.prompt + 1 : 0;
    answering = -1;
    answer = asked = undefined;
  }

  function followRoute(known, response) {
    answering = depth - 1;
    answer = response;
    asked = known;
    if (known.prompt < PROMPT_AFTER) {
      untracked = 0;
      useHook(callbacksAndRoutes);
      return enterRoute(known.route, depth - 1);
    }
    if (routeNow() !== undefined) enterRoute(undefined, depth - 1);
    if (++untracked > REST_AFTER) useHook(callbacks);
    return undefined;
  }

  // Until the loop goes on, nothing is counted.
  const { setImmediate } = globalThis;
  function restFromRun() {
    hook.disable();
    shared[RUN_MORE] = 1;
    last = undefined;
    setImmediate(() => { hook.enable(); }).unref();
  }

  function requestStarted({ request, response, server }) {
    const known = nameOfRequest(request, server);
    followRoute(known, response);
    if (depth === 0 || depth > DEPTH_MOST) return;
    if (known.number < 0) known.number = numberOf(known.name);
    if (open[depth - 1] === SPAN) beginRequestInstead(known.number);
    else beginRequest(known.number);
    open[depth - 1] = SPAN;
    tailNumber = 0;
  }

  hook.enable();
  requests.subscribe(requestStarted);

  // An uncaught error leaves its spans open.
  process.on('uncaughtExceptionMonitor', () => {
    reset();
    depth = 0;
    answering = -1;
    last = route = undefined;
  });
})();
