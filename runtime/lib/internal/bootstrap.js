// The first script to run: makes `process`, the tick queue and the globals, and returns the hooks
// that C calls. Everything else is loaded on first use, so that a program that only prints a line
// loads little more than this file.
(function (global, native, options) {
  'use strict';

  const script = native('script');
  const timers = native('timers');
  const names = script.embedded('internal/scope');
  const { intrinsics, scope } = script.embedded('internal/intrinsics')(global, names);
  const { Object, Reflect, Symbol } = scope;
  const { PromiseResolve, SymbolFor, arrayConcat, arrayPush, arraySlice, over, promiseThen } = intrinsics;
  const modules = { __proto__: null };
  const supplied = []; // the values of the names in internal/scope

  // --- modules of our own ---------------------------------------------------------

  function requireBuiltin(id) {
    let module = modules[id];
    if (module !== undefined) return module.exports;
    // Packages require each other without knowing that they are in vendor/.
    const load = script.embedded(id) ?? script.embedded(`vendor/${id}`);
    if (load === undefined) {
      const error = new scope.Error(`No such built-in module: ${id}`);
      error.code = 'ERR_UNKNOWN_BUILTIN_MODULE';
      throw error;
    }
    module = modules[id] = { exports: {}, id };
    const args = [module.exports, requireBuiltin, module, process, native, global, intrinsics];
    let isLoaded = false;
    try {
      Reflect.apply(load, module.exports, arrayConcat.call(args, supplied));
      isLoaded = true;
    } finally {
      if (!isLoaded) delete modules[id]; // so that the next to ask gets the error, too
    }
    return module.exports;
  }

  // Global functions are listed by Object.keys(globalThis); classes and namespaces are not.
  const define = (name, value, enumerable = false) => {
    Object.defineProperty(global, name, { __proto__: null, value, writable: true, enumerable, configurable: true });
    return value;
  };

  // A global whose module is loaded at its first use.
  function lazy(name, load, enumerable = false) {
    Object.defineProperty(global, name, {
      __proto__: null,
      get: () => define(name, load(), enumerable),
      set: (value) => define(name, value, enumerable),
      enumerable,
      configurable: true,
    });
  }

  // Symbols for resources that end with their block, for engines that don't have them yet.
  for (const name of over(['dispose', 'asyncDispose']))
    if (!(name in Symbol)) Object.defineProperty(Symbol, name, { __proto__: null, value: SymbolFor(`nodejs.${name}`) });

  // --- ticks ---------------------------------------------------------------------------

  // The whole queue runs in one call from C, which then runs the microtasks. `info[0]`
  // shows C that the queue isn't empty.
  const info = timers.tickInfo;
  let queue = [];
  let head = 0;
  let contexts; // internal/contexts, from its start on

  function nextTick(callback, ...args) {
    if (typeof callback !== 'function') requireBuiltin('internal/errors').validateFunction(callback, 'callback');
    if (process._exiting) return;
    if (contexts !== undefined) arrayPush.call(queue, contexts.tick(callback, args));
    else arrayPush.call(queue, args.length === 0 ? callback : { callback, args, context: undefined });
    if (info[0] === 0) {
      info[0] = 1;
      timers.scheduleTicks();
    }
  }

  function runTicks() {
    while (head < queue.length) {
      const tick = queue[head];
      queue[head++] = undefined;
      if (head === queue.length) {
        head = 0;
        queue.length = 0;
      } else if (head === 4096) {
        queue = arraySlice.call(queue, head);
        head = 0;
      }
      if (typeof tick === 'function') {
        tick();
      } else {
        const { callback, args } = tick;
        if (tick.context !== undefined) contexts.runTick(tick);
        else if (args.length === 1) callback(args[0]);
        else if (args.length === 2) callback(args[0], args[1]);
        else Reflect.apply(callback, undefined, args);
      }
    }
    info[0] = 0;
  }
  timers.onTicks(runTicks);

  // For `rondo step`, which shows each tick.
  let ticks = 0;
  function nextTickShown(callback, ...args) {
    if (typeof callback !== 'function' || process._exiting) {
      nextTick(callback);
      return;
    }
    const key = ++ticks;
    const name = requireBuiltin('internal/names').nameOf(callback);
    timers.step(2, key, name);
    nextTick(() => {
      const span = timers.tickBegins(key, name);
      try {
        Reflect.apply(callback, undefined, args);
      } finally {
        timers.tickEnds(span);
      }
    });
  }

  const resolved = PromiseResolve();
  function queueMicrotask(callback) {
    if (typeof callback !== 'function') requireBuiltin('internal/errors').validateFunction(callback, 'callback');
    if (contexts !== undefined) {
      contexts.soon(callback);
      return;
    }
    promiseThen.call(resolved, () => {
      try {
        callback();
      } catch (error) {
        native('process').uncaught(error);
      }
    });
  }

  // --- globals -----------------------------------------------------------------------------

  const process = {};
  const tools = {
    startContexts(started) { contexts = tools.contexts = started; },
    contexts: undefined,
    wrapsAwaits: false,
    runsMain: false, // the program's first script
    requireBuiltin, nextTick: timers.step === undefined ? nextTick : nextTickShown, queueMicrotask, options, script, scope, kOurs: Symbol('error of ours'),
  };
  modules['internal/tools'] = { exports: tools };
  modules.process = { exports: process };
  const supply = () => {
    for (let i = 0; i < names.length; i++) supplied[i] = scope[names[i]];
  };
  supply();
  requireBuiltin('internal/engine'); // changes the classes of errors
  supply();
  requireBuiltin('internal/process');

  define('global', global, true);
  define('process', process);
  define('queueMicrotask', queueMicrotask, true);
  define('console', requireBuiltin('internal/console'));
  const from = (module, names) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      lazy(name, () => requireBuiltin(module)[name], name[0] >= 'a');
    }
  };
  from('timers', ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate']);
  from('buffer', ['Buffer', 'atob', 'btoa']);
  from('internal/blob', ['Blob', 'File']);
  from('internal/encoding', ['TextEncoder', 'TextDecoder']);
  from('internal/event_target', ['Event', 'EventTarget', 'CustomEvent']);
  from('internal/abort_signal', ['AbortController', 'AbortSignal']);
  from('internal/clone', ['structuredClone', 'DOMException']);
  from('perf_hooks', [
    'performance', 'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver',
  ]);
  from('url', ['URL', 'URLSearchParams']);
  from('internal/absent', ['ReadableStream', 'WritableStream', 'TransformStream', 'Request', 'Response']);
  lazy('crypto', () => requireBuiltin('internal/crypto/web').webcrypto, true);
  lazy('Crypto', () => requireBuiltin('internal/crypto/web').Crypto);
  lazy('CryptoKey', () => requireBuiltin('internal/crypto/crypto_key').CryptoKey);
  lazy('SubtleCrypto', () => requireBuiltin('internal/crypto/web_subtle').SubtleCrypto);
  lazy('Function', () => requireBuiltin('internal/esm/evaluated').install());

  if (native('names').wanted) requireBuiltin('internal/names');
  return requireBuiltin('internal/main');
})
