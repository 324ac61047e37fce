'use strict';
// performance: the clock since start, marks and measures, and how busy the loop was.

const { ArrayIsArray, arrayFilter, arrayPush, arraySort, arraySplice, over } = intrinsics;
const binding = native('process');
const {
  coded, invalidArgType, invalidArgValue, missingArgs, notImplemented, validateFunction, validateNumber, validateObject, validateString,
} = require('internal/errors');

const origin = binding.startTime;
const timeOrigin = binding.startWall;
const entries = [];
const NONE = { __proto__: null };
const cloned = (value) => require('internal/clone').structuredClone(value);
const observers = new Set();

class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration });
    if (detail !== undefined) this.detail = detail;
  }

  toJSON() {
    return { ...this };
  }
}
// These have constructors of their own: the default ones would iterate over the arguments.
class PerformanceMark extends PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) { super(name, entryType, startTime, duration, detail); }
}
class PerformanceMeasure extends PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) { super(name, entryType, startTime, duration, detail); }
}

const now = () => (binding.hrtime() - origin) / 1e6;

function observe(entry) {
  for (const observer of over(observers)) observer.take(entry);
  return entry;
}

function record(entry) {
  arrayPush.call(entries, entry);
  return observe(entry);
}

function markTime(name) {
  if (typeof name === 'number') return name;
  for (let at = entries.length - 1; at >= 0; at--)
    if (entries[at].entryType === 'mark' && entries[at].name === name) return entries[at].startTime;
  const { DOMException } = require('internal/clone');
  throw new DOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
}

// The loop's idle time since it began, against the clock.
function loopUse(first, second) {
  const idle = binding.idleTime() / 1e6;
  const active = Math.max(0, now() - idle);
  if (second) {
    const parts = { idle: first.idle - second.idle, active: first.active - second.active };
    return { ...parts, utilization: parts.active / (parts.idle + parts.active) || 0 };
  }
  if (first) {
    const parts = { idle: idle - first.idle, active: active - first.active };
    return { ...parts, utilization: parts.active / (parts.idle + parts.active) || 0 };
  }
  return { idle, active, utilization: active / (idle + active) || 0 };
}

class Performance {
  now() {
    return now();
  }

  get timeOrigin() {
    return timeOrigin;
  }

  eventLoopUtilization(first, second) {
    return loopUse(first, second);
  }

  mark(name, options) {
    if (arguments.length === 0) throw missingArgs('The "name" argument');
    if (options !== undefined && options !== null) validateObject(options, 'options');
    const { startTime = now(), detail = null } = options ?? NONE;
    validateNumber(startTime ?? 0, 'startTime');
    if (startTime < 0) throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${startTime} is not a valid timestamp`);
    return record(new PerformanceMark(`${name}`, 'mark', startTime ?? now(), 0, detail === null ? null : cloned(detail)));
  }

  measure(name, startOrOptions, end) {
    validateString(name, 'name');
    const options = typeof startOrOptions === 'object' && startOrOptions !== null ? startOrOptions :
      { start: typeof startOrOptions === 'string' ? startOrOptions : undefined, end };
    const stop = options.end !== undefined ? markTime(options.end) :
      options.duration !== undefined ? markTime(options.start ?? 0) + options.duration : now();
    const start = options.start !== undefined ? markTime(options.start) :
      options.duration !== undefined ? stop - options.duration : 0;
    return record(new PerformanceMeasure(`${name}`, 'measure', start, stop - start, options.detail ?? null));
  }

  clearMarks(name) {
    this.#clear('mark', name);
  }

  clearMeasures(name) {
    this.#clear('measure', name);
  }

  #clear(type, name) {
    if (name !== undefined) name = `${name}`;
    for (let at = entries.length - 1; at >= 0; at--)
      if (entries[at].entryType === type && (name === undefined || entries[at].name === name)) arraySplice.call(entries, at, 1);
  }

  getEntries() {
    return arraySort.call([...over(entries)], (a, b) => a.startTime - b.startTime);
  }

  getEntriesByName(name, type) {
    if (arguments.length === 0) throw missingArgs('The "name" argument');
    name = `${name}`;
    if (type !== undefined) type = `${type}`;
    return arrayFilter.call(this.getEntries(), (entry) => entry.name === name && (type === undefined || entry.entryType === type));
  }

  getEntriesByType(type) {
    if (arguments.length === 0) throw missingArgs('The "type" argument');
    type = `${type}`;
    return arrayFilter.call(this.getEntries(), (entry) => entry.entryType === type);
  }

  timerify(fn, options = NONE) {
    validateFunction(fn, 'fn');
    validateObject(options, 'options');
    const report = (start, args) => observe(new PerformanceEntry(fn.name, 'function', start, now() - start, args));
    function timerified(...args) {
      const start = now();
      if (new.target) {
        const made = Reflect.construct(fn, args, fn);
        report(start, args);
        return made;
      }
      const result = Reflect.apply(fn, this, args);
      if (typeof result?.finally === 'function') return Reflect.apply(result.finally, result, [() => report(start, args)]);
      report(start, args);
      return result;
    }
    Object.defineProperty(timerified, 'length', { __proto__: null, value: fn.length, configurable: false, enumerable: true });
    Object.defineProperty(timerified, 'name', { __proto__: null, value: `timerified ${fn.name}`, configurable: false, enumerable: true });
    return timerified;
  }

  get nodeTiming() {
    return { name: 'node', entryType: 'node', startTime: 0, duration: now(), idleTime: binding.idleTime() / 1e6 };
  }

  toJSON() {
    return { nodeTiming: this.nodeTiming, timeOrigin, eventLoopUtilization: loopUse() };
  }
}
Object.defineProperty(Performance.prototype, Symbol.toStringTag, { __proto__: null, value: 'Performance', configurable: true });

class PerformanceObserver {
  #callback;
  #types = new Set();
  #queue = [];

  constructor(callback) {
    validateFunction(callback, 'callback');
    this.#callback = callback;
  }

  observe(options = NONE) {
    validateObject(options, 'options');
    const { entryTypes, type: single } = options;
    if (entryTypes === undefined && single === undefined)
      throw missingArgs('The "options.entryTypes" and "options.type" arguments');
    if (entryTypes != null && single != null)
      throw invalidArgValue('options.entryTypes', entryTypes, 'options.entryTypes can not set with options.type together');
    if (entryTypes !== undefined && !ArrayIsArray(entryTypes)) throw invalidArgType('options.entryTypes', 'string[]', entryTypes);
    for (const type of over(entryTypes ?? [single])) this.#types.add(type);
    observers.add(this);
  }

  take(entry) {
    if (!this.#types.has(entry.entryType)) return;
    if (arrayPush.call(this.#queue, entry) > 1) return;
    require('timers').setImmediate(() => {
      const list = this.takeRecords();
      if (list.length === 0) return;
      const byName = (name) => arrayFilter.call(list, (each) => each.name === name);
      const byType = (type) => arrayFilter.call(list, (each) => each.entryType === type);
      this.#callback({ getEntries: () => list, getEntriesByName: byName, getEntriesByType: byType }, this);
    });
  }

  takeRecords() {
    return arraySplice.call(this.#queue, 0);
  }

  disconnect() {
    observers.delete(this);
    this.#queue.length = 0;
  }

  static get supportedEntryTypes() {
    return ['function', 'mark', 'measure'];
  }
}

const absent = (name) => () => {
  throw notImplemented(`perf_hooks.${name}`);
};

module.exports = {
  Performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  monitorEventLoopDelay: absent('monitorEventLoopDelay'),
  createHistogram: absent('createHistogram'),
  performance: new Performance(),
  constants: {},
};
