'use strict';
// Preloaded into Node by `rondo trace`: gives the spans of a recording the names of the
// program's own functions, with file and line. A request is "GET /report", a timer the
// function that it calls; what microtasks take is that of the callback which they follow.
// Nothing that the program sees is changed: no function is wrapped or replaced, and where
// anything is missing, nothing is named.
//
// The cost is two calls into C for each callback that Node makes into JavaScript, two more
// for each function that is new, and for promises a look at their kind.
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
  // A ring that is left on in production has the names of stacks, which cost nothing until
  // they are asked for, and those of requests only if they were asked for.
  const { RONDO_TRACE, RONDO_RECORD, RONDO_RECORD_NAMES } = process.env;
  const inRing = RONDO_RECORD !== undefined && !RONDO_TRACE;
  if (inRing && RONDO_RECORD_NAMES !== '1') return;
  if (!inRing) recorder.watchMicrotasks();
  const { begin, end, rename, placeOf, lineOf } = recorder;

  // --- functions -------------------------------------------------------------------------

  const names = new WeakMap();

  const nameOf = (fn) => (typeof fn.name === 'string' && fn.name !== '' ? fn.name : '(anonymous)');

  // With the file and line where the function is defined, if the engine knows.
  function nameAndPlace(fn) {
    let name = names.get(fn);
    if (name !== undefined) return name;
    const script = placeOf(fn);
    const line = lineOf(fn);
    name = nameOf(fn);
    if (typeof script === 'string' && script !== '' && line > 0)
      name += ` ${script.startsWith('file://') ? script.slice(7) : script}:${line}`;
    names.set(fn, name);
    return name;
  }

  // --- requests --------------------------------------------------------------------------

  // Published just before the server's listeners are called.
  const requests = require('diagnostics_channel').channel('http.server.request.start');

  // The path goes without its query, which may be long and may be secret.
  function pathOf(url) {
    const text = String(url);
    const query = text.indexOf('?');
    return query < 0 ? text : text.slice(0, query);
  }

  const routeOf = ({ method, url }) => `${method} ${pathOf(url)}`;

  // Most servers have few paths, and joining the parts of a name takes longer than finding it.
  const RECENT_MOST = 1000;
  const recent = new Map(); // by path: the last name that was made for it, and of what

  function nameOfRequest({ method, url }, server) {
    const path = pathOf(url);
    const listener = server?.listeners('request')[0];
    const known = recent.get(path);
    if (known !== undefined && known.method === method && known.listener === listener) return known.name;
    const route = `${method} ${path}`;
    const name = typeof listener === 'function' ? `${route} ${nameAndPlace(listener)}` : route;
    if (recent.size >= RECENT_MOST) recent.clear();
    recent.set(path, { method, listener, name });
    return name;
  }

  // In a ring only the loop's callback that brings a request gets its name: hooks for all callbacks
  // would cost a third of a small request.
  if (inRing) {
    requests.subscribe(({ request, server }) => rename(nameOfRequest(request, server)));
    return;
  }

  // --- what Node calls: timers, immediates, ticks, requests ----------------------------

  const { AsyncLocalStorage, createHook, executionAsyncResource } = require('async_hooks');
  const routes = new AsyncLocalStorage(); // the request that a callback works for
  const open = []; // a span for each callback that is under way here, or undefined
  let requested; // the request that the outermost of them has brought

  const functionOf = (resource) => resource._onTimeout ?? resource._onImmediate ??
    resource.callback ?? resource.context?.callback;
  const withRoute = (name, route) => (route === undefined ? name : `${name} for ${route}`);
  const spanOf = (name) => ({ span: begin(name), name });

  // A socket, pipe or server is named after the program's listener, whichever event it is.
  function listenerOf(resource) {
    const symbol = Object.getOwnPropertySymbols(resource).find(({ description }) => description === 'owner_symbol');
    const owner = symbol === undefined ? undefined : resource[symbol];
    if (typeof owner?.listeners !== 'function') return undefined;
    return [...owner.listeners('data'), ...owner.listeners('connection')]
      .find((listener) => !nameAndPlace(listener).includes(' node:'));
  }

  function before() {
    const resource = executionAsyncResource();
    if (resource instanceof Promise) {
      open.push(undefined);
      return;
    }
    const fn = functionOf(resource);
    const route = routes.getStore();
    if (typeof fn === 'function') {
      open.push(spanOf(withRoute(nameAndPlace(fn), route)));
      return;
    }
    const kind = resource.constructor?.name ?? 'callback';
    const listener = route === undefined ? listenerOf(resource) : undefined;
    if (listener !== undefined) open.push(spanOf(`${kind} of ${nameAndPlace(listener)}`));
    else if (route !== undefined) open.push(spanOf(withRoute(kind, route)));
    else open.push({ span: 0, name: kind }); // the callback's own name is enough
  }

  // The microtasks follow the outermost callback, and belong to its request if it has one.
  function after() {
    const entry = open.pop();
    if (entry === undefined) return;
    if (open.length === 0) {
      end(entry.span, requested ?? entry.name);
      requested = undefined;
    } else {
      end(entry.span);
    }
  }

  function requestStarted({ request, server }) {
    const route = routeOf(request);
    routes.enterWith(route);
    if (open.length === 0) return;
    const outer = open.pop();
    if (outer !== undefined) end(outer.span);
    requested = nameOfRequest(request, server);
    open.push(spanOf(requested));
  }

  createHook({ before, after, trackPromises: false }).enable();
  requests.subscribe(requestStarted);

  // An uncaught error leaves its spans open.
  process.on('uncaughtExceptionMonitor', () => {
    while (open.length > 0) {
      const entry = open.pop();
      if (entry !== undefined) end(entry.span);
    }
  });
})();
