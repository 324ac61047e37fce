'use strict';
// Preloaded into Node by `rondo step`: reports what is in Node's own queues, timers, immediates
// and ticks, to the loop's steps. All of it is known from async_hooks and from the objects that a
// program sees; where anything is missing, nothing is reported. Microtasks can't be seen.
//
// Comes before names.js, whose spans are the steps: when a span begins, what is called has been
// taken out of its queue.
(() => {
  let addon;
  try {
    const module = { exports: {} };
    process.dlopen(module, require('path').join(__dirname, 'rondo-node.node'));
    addon = module.exports;
  } catch {
    return; // not on Rondo's library, or a Node without Node-API
  }
  if (!addon.stepJoin?.()) return;
  const { executionAsyncResource, createHook } = require('async_hooks');
  const { stepPut, stepTake, stepScript, now, placeOf, lineOf, targetOf } = addon;
  const TIMERS = 0, IMMEDIATES = 1, TICKS = 2;
  const REPEATS = 1, UNREFERENCED = 2;

  // As names.js has it: "load /app/a.js:4".
  function nameOf(given) {
    if (typeof given !== 'function') return '(anonymous)';
    let fn = given;
    for (let depth = 0; depth < 8; depth++) {
      const target = targetOf(fn);
      if (typeof target !== 'function') break;
      fn = target;
    }
    const name = typeof fn.name === 'string' && fn.name !== '' ? fn.name : '(anonymous)';
    const script = placeOf(fn);
    const line = lineOf(fn);
    return typeof script === 'string' && script !== '' && line > 0 ? `${name} ${script.replace(/^file:\/\//, '')}:${line}` : name;
  }

  // --- requests: Node wraps their callbacks, so each is known by what has asked for it ---------

  const REQUESTS = new Set(['FSREQCALLBACK', 'GETADDRINFOREQWRAP', 'GETNAMEINFOREQWRAP']);
  const CALLED = Symbol.for('rondo.called'); // names.js looks for it
  const outside = /(?:\(| )(?:file:\/\/)?(\/[^()]*:\d+:\d+)\)?$/;
  const inside = / at (?:\w+\.)*(\w+) (?:\[as (\w+)\] )?\(node:(\w+)/;

  // The innermost frame that isn't Node's, and the function of Node's that it calls.
  function nameRequest(resource) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const lines = String(new Error().stack).split('\n').slice(1);
    Error.stackTraceLimit = stackTraceLimit;
    let asked = 'a request';
    for (const line of lines) {
      const place = outside.exec(line);
      const called = inside.exec(line);
      if (called !== null) asked = `${called[3]}.${called[2] ?? called[1]}`;
      if (place === null || line.includes(__filename)) continue;
      Object.defineProperty(resource, CALLED, { value: `the answer of ${asked} ${place[1]}`, configurable: true });
      return;
    }
  }

  // --- timers: the object says when each is due --------------------------------------------

  const timers = new Map(); // by the number that async_hooks gives them
  const flagsOf = (timer) => (timer._repeat ? REPEATS : 0) | (timer.hasRef() ? 0 : UNREFERENCED);

  function report(id, entry) {
    stepPut(TIMERS, id, entry.name, entry.due, entry.flags);
  }

  function addTimer(id, timer) {
    const entry = { timer, name: nameOf(timer._onTimeout), due: now() + timer._idleTimeout, flags: 0, started: undefined, runs: false };
    timers.set(id, entry);
    report(id, entry);
  }

  function removeTimer(id) {
    timers.delete(id);
    stepTake(TIMERS, id);
  }

  // Changes that the program has made to its timers since.
  function look() {
    for (const [id, entry] of timers) {
      const { timer } = entry;
      if (timer._destroyed || timer._idleTimeout === -1 || timer._onTimeout === null) {
        removeTimer(id);
        continue;
      }
      if (entry.runs) continue;
      const started = timer._idleStart;
      if (entry.started === undefined && started !== null) entry.started = started;
      const moved = started - entry.started;
      const flags = flagsOf(timer);
      if (!(moved > 0) && flags === entry.flags) continue;
      if (moved > 0) {
        entry.due += moved;
        entry.started = started;
      }
      entry.flags = flags;
      report(id, entry);
    }
    for (const [id, immediate] of immediates) if (immediate._destroyed) removeImmediate(id);
  }

  // --- immediates and ticks ------------------------------------------------------------------

  const immediates = new Map();
  const reffed = new Map();
  function removeImmediate(id) {
    immediates.delete(id);
    reffed.delete(id);
    stepTake(IMMEDIATES, id);
  }

  const own = new Set(['TickObject', 'Timeout', 'Immediate']);
  let ran; // the timer that is called back
  let started = false;

  function init(id, type, trigger, resource) {
    if (REQUESTS.has(type)) nameRequest(resource);
    if (!own.has(type)) return;
    if (type === 'Timeout') {
      addTimer(id, resource);
    } else if (type === 'Immediate') {
      immediates.set(id, resource);
      stepPut(IMMEDIATES, id, nameOf(resource._onImmediate), 0, 0);
    } else {
      stepPut(TICKS, id, nameOf(resource.callback), 0, 0);
    }
  }

  function before(id) {
    if (started) {
      started = false;
      stepScript();
    }
    look();
    const entry = timers.get(id);
    if (entry !== undefined) {
      ran = id;
      entry.runs = true;
      stepTake(TIMERS, id);
    } else if (immediates.has(id)) {
      removeImmediate(id);
    } else {
      const resource = executionAsyncResource();
      if (resource !== undefined && typeof resource.callback === 'function') stepTake(TICKS, id);
    }
  }

  // An interval counts from before its callback, and Node starts it again behind this hook.
  function after(id) {
    const entry = timers.get(id);
    if (entry !== undefined && ran === id) {
      entry.runs = false;
      const { timer } = entry;
      if (timer._repeat && !timer._destroyed && timer._idleTimeout !== -1) {
        entry.due = now() + timer._repeat;
        entry.started = undefined;
        report(id, entry);
      } else {
        timers.delete(id);
      }
    }
    look();
  }

  createHook({ init, before, after, trackPromises: false }).enable();

  // Everything up to the first callback is the main script's.
  const main = process.argv[1];
  if (require('worker_threads').isMainThread && typeof main === 'string') {
    started = true;
    stepScript(require('path').resolve(main));
  }
})();
