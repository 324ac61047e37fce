'use strict';
// setTimeout, setInterval, setImmediate. The order is kept in C (runtime/node); this file has the
// objects that a program sees, found by slot number when C calls for one that is due.

const { SymbolFor, functionToString, over, regexpReplace, stringSlice, weakrefDeref } = intrinsics;
const binding = native('timers');
const { invalidArgType } = require('internal/errors');
const tools = require('internal/tools');

const MAX = 2 ** 31 - 1;
const kSlot = Symbol('slot');
const kHolds = Symbol('refed');
const kContext = Symbol('async context'); // only while the program asks for contexts
const kRepeats = Symbol('repeats'); // the slot repeats: C starts it again
const custom = SymbolFor('nodejs.util.promisify.custom');
const inspectCustom = SymbolFor('nodejs.util.inspect.custom');

const { cell, immediateRef, immediateStart, step, timerRef, timerStart } = binding; // step: only for `rondo step`
const timeouts = []; // by slot
const immediates = [];
const byId = new Map(); // those that were converted to a primitive
let nextId = 1;

function delayOf(ms) {
  ms *= 1;
  if (ms >= 1 && ms <= MAX) return ms;
  if (ms > MAX) {
    const text = `${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`;
    process.emitWarning(text, 'TimeoutOverflowWarning');
  }
  return 1;
}

// Sets whether a timer keeps the loop alive. A timer that is over (null) stays so; for one that is
// in a slot, C is notified.
function hold(timer, on, notify) {
  if (timer[kHolds] === !on) {
    timer[kHolds] = on;
    if (timer[kSlot] >= 0) notify(timer[kSlot], on);
  }
  return timer;
}

class Timeout {
  constructor(task, args, ms, again) {
    this._idleTimeout = ms;
    this._onTimeout = task;
    this._timerArgs = args;
    this._repeat = again ? ms : null;
    this._destroyed = false;
    this[kHolds] = true;
    if (tools.contexts !== undefined) this[kContext] = tools.contexts.begin('Timeout', this);
    this[kSlot] = start(this);
  }

  ref() { return hold(this, true, timerRef); }
  unref() { return hold(this, false, timerRef); }
  hasRef() { return this[kHolds]; }

  // Starts a timer again, even one that has fired, but not one that was cleared.
  refresh() {
    if (this[kSlot] >= 0) {
      binding.timerRefresh(this[kSlot]);
    } else if (this._idleTimeout !== -1) {
      if (this._destroyed && tools.contexts !== undefined) this[kContext] = tools.contexts.begin('Timeout', this);
      this._destroyed = false;
      this[kSlot] = start(this);
      if (!this[kHolds]) timerRef(this[kSlot], false);
    }
    return this;
  }

  close() {
    clearTimeout(this);
    return this;
  }

  [Symbol.dispose]() {
    clearTimeout(this);
  }

  [Symbol.toPrimitive]() {
    if (this._id === undefined) {
      Object.defineProperty(this, '_id', { __proto__: null, value: nextId++ });
      if (!this._destroyed) byId.set(this._id, this);
    }
    return this._id;
  }

  [inspectCustom](depth, options, inspect) {
    const { _idleTimeout, _onTimeout, _timerArgs, _repeat, _destroyed } = this;
    return inspect(Object.assign(Object.create({ constructor: Timeout }),
      { _idleTimeout, _onTimeout, _timerArgs, _repeat, _destroyed }), { ...options, depth });
  }
}

function start(timeout) {
  cell[0] = timeout._idleTimeout;
  cell[1] = (timeout[kRepeats] = timeout._repeat !== null) ? 1 : 0;
  const slot = timerStart();
  timeouts[slot] = timeout;
  if (step !== undefined) step(0, slot, nameOf(timeout._onTimeout));
  return slot;
}

function forget(timeout) {
  timeout._destroyed = true;
  if (timeout[kContext] !== undefined) tools.contexts.destroy(timeout[kContext]);
  if (timeout._id !== undefined) byId.delete(timeout._id);
}

function call(timeout) {
  const context = timeout[kContext];
  if (context !== undefined) tools.contexts.opened(context);
  if (timeout._timerArgs === undefined) timeout._onTimeout();
  else Reflect.apply(timeout._onTimeout, timeout, timeout._timerArgs);
  if (context !== undefined) tools.contexts.closed(context);
}

function fireTimer() {
  const slot = cell[0];
  const timeout = timeouts[slot];
  const repeats = timeout[kRepeats];
  if (repeats === undefined) {
    fireWeak(slot, timeout);
    return;
  }
  if (repeats) {
    call(timeout);
    if (timeout._repeat !== timeout._idleTimeout && timeout[kSlot] === slot) repeatOtherwise(timeout, slot);
    return;
  }
  // C frees the slot after this call; a refresh takes a new one.
  timeouts[slot] = undefined;
  timeout[kSlot] = -1;
  try {
    call(timeout);
  } finally {
    // The program may have turned it into an interval meanwhile.
    if (timeout[kSlot] < 0 && timeout._repeat && timeout._idleTimeout !== -1) startAgain(timeout);
    else if (timeout[kSlot] < 0) forget(timeout);
  }
}

function startAgain(timeout) {
  timeout._idleTimeout = delayOf(timeout._repeat);
  timeout[kSlot] = start(timeout);
  if (!timeout[kHolds]) timerRef(timeout[kSlot], false);
}

// An interval whose `_repeat` the program has changed: another duration, or none.
function repeatOtherwise(timeout, slot) {
  timeouts[slot] = undefined;
  timeout[kSlot] = -1;
  binding.timerClear(slot);
  if (timeout._repeat) startAgain(timeout);
  else forget(timeout);
}

// Timers of AbortSignal.timeout(), without an object of their own: only the signal to abort, held
// weakly unless somebody waits for it. There may be millions, and most are collected before they
// are due. Such a timer is identified by its slot and by how many such timers the slot has had
// before.
const TURN = 2 ** 32;
const turns = [];
let abortWeak;

function startWeak(ms, target) {
  cell[0] = delayOf(ms);
  cell[1] = 0;
  const slot = timerStart();
  timerRef(slot, false);
  timeouts[slot] = new WeakRef(target);
  return slot + (turns[slot] ??= 0) * TURN;
}

const isWaiting = (id) => turns[id % TURN] === Math.floor(id / TURN);

function holdWeak(id, target) {
  if (isWaiting(id)) timeouts[id % TURN] = { target };
}

function endWeak(id) {
  if (!isWaiting(id)) return;
  const slot = id % TURN;
  turns[slot]++;
  timeouts[slot] = undefined;
  binding.timerClear(slot);
}

function fireWeak(slot, ref) {
  turns[slot]++;
  timeouts[slot] = undefined;
  const target = ref instanceof WeakRef ? weakrefDeref.call(ref) : ref.target;
  if (target !== undefined) abortWeak(target);
}

tools.weakTimers = {
  onDue(callback) { abortWeak = callback; }, start: startWeak, hold: holdWeak, end: endWeak,
};

class Immediate {
  constructor(task, args) {
    this._onImmediate = task;
    this._argv = args;
    this._destroyed = false;
    this[kHolds] = true;
    if (tools.contexts !== undefined) this[kContext] = tools.contexts.begin('Immediate', this);
    immediates[this[kSlot] = immediateStart()] = this;
    if (step !== undefined) step(1, this[kSlot], nameOf(task));
  }

  ref() { return hold(this, true, immediateRef); }
  unref() { return hold(this, false, immediateRef); }
  hasRef() { return this[kHolds] === true; }

  [Symbol.dispose]() {
    clearImmediate(this);
  }
}

// The immediate has run or was cleared: its slot is free.
function finish(immediate) {
  immediates[immediate[kSlot]] = undefined;
  immediate._destroyed = true;
  immediate[kHolds] = null;
}

function fireImmediate() {
  const immediate = immediates[cell[0]];
  const { _argv: args } = immediate;
  const context = immediate[kContext];
  finish(immediate);
  if (context !== undefined) {
    tools.contexts.emitDestroyed();
    tools.contexts.opened(context);
  }
  try {
    if (args === undefined) immediate._onImmediate();
    else Reflect.apply(immediate._onImmediate, immediate, args);
  } finally {
    immediate._onImmediate = null;
    if (context !== undefined) tools.contexts.destroy(context);
  }
  if (context !== undefined) tools.contexts.closed(context);
}

// For the runtime itself: in the next check phase, if there is one, in no context.
tools.soon = (task) => {
  const { contexts } = tools;
  tools.contexts = undefined;
  new Immediate(task).unref();
  tools.contexts = contexts;
};

// For the recorder of `rondo trace` only.
const nameOf = (task) => require('internal/names').nameOf(task);

binding.onTimers(fireTimer, fireImmediate, () => nameOf(timeouts[cell[0]]._onTimeout),
  () => nameOf(immediates[cell[0]]._onImmediate));

function checked(callback) {
  if (typeof callback === 'function') return callback;
  throw invalidArgType('callback', 'of type function', callback);
}

const orNone = (args) => args.length > 0 ? args : undefined;

function setTimeout(callback, after, ...args) {
  return new Timeout(checked(callback), orNone(args), delayOf(after), false);
}

function setInterval(callback, repeat, ...args) {
  return new Timeout(checked(callback), orNone(args), delayOf(repeat), true);
}

function setImmediate(callback, ...args) {
  return new Immediate(checked(callback), orNone(args));
}

// Takes a Timeout, or the number that it was converted to, also as a text.
function clearTimeout(given) {
  const timer = typeof given === 'object' ? given : byId.get(typeof given === 'string' ? Number(given) : given);
  if (timer?._onTimeout === undefined) return;
  timer._onTimeout = null;
  timer._idleTimeout = -1;
  const slot = timer[kSlot];
  if (slot >= 0) {
    timeouts[slot] = undefined;
    timer[kSlot] = -1;
    binding.timerClear(slot);
  }
  forget(timer);
}

function clearImmediate(given) {
  if (given?.[kSlot] === undefined || given._destroyed) return;
  finish(given);
  if (given[kContext] !== undefined) tools.contexts.destroy(given[kContext]);
  binding.immediateClear(given[kSlot]);
  given._onImmediate = null;
}

for (const { 0: name, 1: timer } of over(Object.entries({ setTimeout, setImmediate })))
  Object.defineProperty(timer, custom, { __proto__: null, enumerable: true, get: () => require('timers/promises')[name] });

module.exports = {
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval: clearTimeout,
  get promises() {
    return require('timers/promises');
  },
};
