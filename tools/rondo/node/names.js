'use strict';
// Preloaded into Node by `rondo trace`: gives the spans of a recording the names of the
// program's own functions. A request is "GET /report", a timer the function that it calls,
// with file and line once it took long. Nothing that the program sees is changed: no
// function is wrapped or replaced, and where anything is missing, nothing is named.
//
// The cost is two calls into C for each callback that Node makes into JavaScript, and for
// promises a look at their kind. File and line are looked up only for what took longer
// than SLOW_MS, once for each function.
(() => {
  const SLOW_MS = 1;

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
  const { begin, end, rename, renameEnded } = recorder;
  const { performance } = require('perf_hooks');
  const now = performance.now.bind(performance);

  // --- where a function is defined ---------------------------------------------------

  const places = new WeakMap();
  const scripts = new Map();
  let session;

  // Node's own inspector has the place of every function. Its debugger is on only for as
  // long as it takes to list the scripts: it is asked when a script is seen first.
  function urlOf(scriptId) {
    if (!scripts.has(scriptId)) {
      const note = ({ params }) => scripts.set(params.scriptId, params.url);
      session.on('Debugger.scriptParsed', note);
      session.post('Debugger.enable');
      session.post('Debugger.disable');
      session.removeListener('Debugger.scriptParsed', note);
    }
    return scripts.get(scriptId) ?? '';
  }

  function lookUp(fn) {
    if (session === undefined) {
      const { Session } = require('inspector');
      session = new Session();
      session.connect();
    }
    const holder = Symbol.for('rondo.function');
    let place = '';
    globalThis[holder] = fn;
    try {
      const evaluate = { expression: "globalThis[Symbol.for('rondo.function')]", silent: true };
      session.post('Runtime.evaluate', evaluate, (failure, answer) => {
        if (failure) return;
        const { objectId } = answer.result;
        session.post('Runtime.getProperties', { objectId, ownProperties: true }, (problem, properties) => {
          const found = problem ? undefined
            : properties.internalProperties?.find(({ name }) => name === '[[FunctionLocation]]');
          if (found === undefined) return;
          const { scriptId, lineNumber } = found.value.value;
          place = `${urlOf(scriptId).replace(/^file:\/\//, '')}:${lineNumber + 1}`;
        });
        session.post('Runtime.releaseObject', { objectId });
      });
    } finally {
      delete globalThis[holder];
    }
    return place;
  }

  function learnPlace(fn) {
    let place = '';
    try {
      place = lookUp(fn);
    } catch {
      // the inspector is forbidden, or in use
    }
    places.set(fn, place);
  }

  // The name with file and line, if it need not be looked up first.
  const knownName = (fn) => {
    const place = places.get(fn);
    if (place === undefined) return undefined;
    return place === '' ? nameOf(fn) : `${nameOf(fn)} ${place}`;
  };
  const nameOf = (fn) => (typeof fn.name === 'string' && fn.name !== '' ? fn.name : '(anonymous)');

  // --- what Node calls: timers, immediates, ticks, requests ----------------------------

  const { AsyncLocalStorage, createHook, executionAsyncResource } = require('async_hooks');
  const routes = new AsyncLocalStorage(); // the request that a callback works for
  const open = []; // a span, or undefined, for each callback that is under way here

  const functionOf = (resource) => resource._onTimeout ?? resource._onImmediate ??
    resource.callback ?? resource.context?.callback;
  const withRoute = (name, route) => (route === undefined ? name : `${name} for ${route}`);

  function before() {
    const resource = executionAsyncResource();
    if (resource instanceof Promise) {
      open.push(undefined);
      return;
    }
    const fn = functionOf(resource);
    const route = routes.getStore();
    if (typeof fn === 'function')
      open.push({ span: begin(withRoute(nameOf(fn), route)), fn, route, start: now() });
    else if (route !== undefined)
      open.push({ span: begin(withRoute(resource.constructor?.name ?? 'callback', route)), start: now() });
    else open.push(undefined);
  }

  function after() {
    const entry = open.pop();
    if (entry === undefined) return;
    const { fn, title, route, span, start } = entry;
    const slow = fn !== undefined && now() - start >= SLOW_MS;
    const name = () => (title === undefined ? withRoute(knownName(fn), route) : `${title} ${knownName(fn)}`);
    if (slow && places.has(fn)) rename(name());
    end(span);
    if (!slow || places.has(fn)) return;
    // The look-up takes milliseconds when it is the first: a span of its own has them.
    const looking = begin('(rondo trace: looks up a name)');
    learnPlace(fn);
    end(looking);
    renameEnded(name(), 2);
  }

  // Published just before the server's listeners are called. The path goes without its
  // query, which may be long and may be secret.
  function requestStarted({ request, server }) {
    const title = `${request.method} ${String(request.url).split('?', 1)[0]}`;
    routes.enterWith(title);
    if (open.length === 0) return;
    const outer = open.pop();
    if (outer !== undefined) end(outer.span);
    open.push({ span: begin(title), title, fn: server?.listeners('request')[0], start: now() });
  }

  createHook({ before, after, trackPromises: false }).enable();
  require('diagnostics_channel').channel('http.server.request.start').subscribe(requestStarted);

  // An error that nobody catches leaves its spans open.
  process.on('uncaughtExceptionMonitor', () => {
    while (open.length > 0) {
      const entry = open.pop();
      if (entry !== undefined) end(entry.span);
    }
  });
})();
