// The first script to run: makes `process`, the tick queue and the globals, and hands the
// hooks back that C calls. Everything else is loaded when it is first used: a program
// that only prints a line pays for little more than this file.
(function (global, native, options) {
  'use strict';

  const script = native('script');
  const timers = native('timers');
  const modules = Object.create(null);

  // --- modules of our own ---------------------------------------------------------

  function requireBuiltin(id) {
    if (id.endsWith('/')) id = id.slice(0, -1);
    let module = modules[id];
    if (module !== undefined) return module.exports;
    // Packages name each other without knowing that they live in vendor/.
    const load = script.embedded(id) ?? script.embedded(`vendor/${id}`);
    if (load === undefined) {
      const error = new Error(`No such built-in module: ${id}`);
      error.code = 'ERR_UNKNOWN_BUILTIN_MODULE';
      throw error;
    }
    module = modules[id] = { exports: {}, id };
    load.call(module.exports, module.exports, requireBuiltin, module, process, native, global);
    return module.exports;
  }

  // A global whose module is loaded at its first use.
  function lazy(name, load) {
    const define = (value) => {
      Object.defineProperty(global, name, { value, writable: true, enumerable: false, configurable: true });
      return value;
    };
    Object.defineProperty(global, name, {
      get: () => define(load()),
      set: define,
      enumerable: false,
      configurable: true,
    });
  }

  // Names for resources that end with their block, before the engine has them.
  for (const name of ['dispose', 'asyncDispose'])
    if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol.for(`nodejs.${name}`) });

  // --- ticks ---------------------------------------------------------------------------

  // The whole queue runs in one call from C, which then runs the microtasks. `info[0]`
  // tells C that the queue isn't empty.
  const info = timers.tickInfo;
  let queue = [];
  let head = 0;

  function nextTick(callback, ...args) {
    if (typeof callback !== 'function')
      throw requireBuiltin('internal/errors').invalidArgType('callback', 'of type function', callback);
    if (process._exiting) return;
    queue.push(args.length === 0 ? callback : { callback, args });
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
        queue = queue.slice(head);
        head = 0;
      }
      if (typeof tick === 'function') tick();
      else tick.callback(...tick.args);
    }
    info[0] = 0;
  }
  timers.onTicks(runTicks);

  const resolved = Promise.resolve();
  const then = Promise.prototype.then;
  function queueMicrotask(callback) {
    if (typeof callback !== 'function')
      throw requireBuiltin('internal/errors').invalidArgType('callback', 'of type function', callback);
    then.call(resolved, () => {
      try {
        callback();
      } catch (error) {
        native('process').uncaught(error);
      }
    });
  }

  // --- globals -----------------------------------------------------------------------------

  const process = {};
  const tools = { requireBuiltin, nextTick, options, script, kOurs: Symbol('error of ours') };
  modules['internal/tools'] = { exports: tools };
  modules.process = { exports: process };
  requireBuiltin('internal/process');

  const define = (name, value) =>
    Object.defineProperty(global, name, { value, writable: true, enumerable: false, configurable: true });
  define('global', global);
  define('process', process);
  define('queueMicrotask', queueMicrotask);
  define('console', requireBuiltin('internal/console'));
  const from = (module, ...names) => {
    for (const name of names) lazy(name, () => requireBuiltin(module)[name]);
  };
  from('timers', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate');
  from('buffer', 'Buffer', 'atob', 'btoa');
  from('internal/blob', 'Blob', 'File');
  from('internal/encoding', 'TextEncoder', 'TextDecoder');
  from('internal/event_target', 'Event', 'EventTarget', 'CustomEvent');
  from('internal/abort_signal', 'AbortController', 'AbortSignal');
  from('internal/clone', 'structuredClone', 'DOMException');
  from('perf_hooks', 'performance', 'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver');
  from('url', 'URL', 'URLSearchParams');
  requireBuiltin('internal/engine');

  return requireBuiltin('internal/main');
})
