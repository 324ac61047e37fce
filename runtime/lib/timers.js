'use strict';
// setTimeout, setInterval, setImmediate. The order is kept in C (runtime/node); here are
// the objects a program sees, found again by slot number when C says that one is due.

const binding = native('timers');
const { invalidArgType } = require('internal/errors');

const MAX = 2 ** 31 - 1;
const kSlot = Symbol('slot');
const kRefed = Symbol('refed');
const custom = Symbol.for('nodejs.util.promisify.custom');
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

const { cell, timerStart, immediateStart } = binding;
const timeouts = []; // by slot
const immediates = [];
const byId = new Map(); // those that were turned into a primitive
let nextId = 1;

function delayOf(after) {
  after *= 1;
  if (after >= 1 && after <= MAX) return after;
  if (after > MAX)
    process.emitWarning(`${after} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
      'TimeoutOverflowWarning');
  return 1;
}

class Timeout {
  constructor(callback, after, args, repeat) {
    this._idleTimeout = after;
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = repeat ? after : null;
    this._destroyed = false;
    this[kRefed] = true;
    this[kSlot] = start(this);
  }

  ref() {
    if (!this[kRefed]) {
      this[kRefed] = true;
      if (this[kSlot] >= 0) binding.timerRef(this[kSlot], true);
    }
    return this;
  }

  unref() {
    if (this[kRefed]) {
      this[kRefed] = false;
      if (this[kSlot] >= 0) binding.timerRef(this[kSlot], false);
    }
    return this;
  }

  hasRef() {
    return this[kRefed];
  }

  // Also starts one again that has fired; not one that was cleared.
  refresh() {
    if (this[kSlot] >= 0) {
      binding.timerRefresh(this[kSlot]);
    } else if (this._idleTimeout !== -1) {
      this._destroyed = false;
      this[kSlot] = start(this);
      if (!this[kRefed]) binding.timerRef(this[kSlot], false);
    }
    return this;
  }

  close() {
    clearTimeout(this);
    return this;
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    clearTimeout(this);
  }

  [Symbol.toPrimitive]() {
    if (this._id === undefined) {
      Object.defineProperty(this, '_id', { value: nextId++ });
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
  cell[1] = timeout._repeat === null ? 0 : 1;
  const slot = timerStart();
  timeouts[slot] = timeout;
  return slot;
}

function forget(timeout) {
  timeout._destroyed = true;
  if (timeout._id !== undefined) byId.delete(timeout._id);
}

function fireTimer() {
  const slot = cell[0];
  const timeout = timeouts[slot];
  if (timeout._repeat === null) {
    // C gives the slot back after this call; a refresh takes a new one.
    timeouts[slot] = undefined;
    timeout[kSlot] = -1;
    try {
      const args = timeout._timerArgs;
      if (args === undefined) timeout._onTimeout();
      else timeout._onTimeout(...args);
    } finally {
      if (timeout[kSlot] < 0) forget(timeout);
    }
    return;
  }
  const args = timeout._timerArgs;
  if (args === undefined) timeout._onTimeout();
  else timeout._onTimeout(...args);
}

class Immediate {
  constructor(callback, args) {
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    this[kRefed] = true;
    const slot = immediateStart();
    this[kSlot] = slot;
    immediates[slot] = this;
  }

  ref() {
    if (this[kRefed] === false) {
      this[kRefed] = true;
      binding.immediateRef(this[kSlot], true);
    }
    return this;
  }

  unref() {
    if (this[kRefed] === true) {
      this[kRefed] = false;
      binding.immediateRef(this[kSlot], false);
    }
    return this;
  }

  hasRef() {
    return this[kRefed] === true;
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    clearImmediate(this);
  }
}

function fireImmediate() {
  const slot = cell[0];
  const immediate = immediates[slot];
  immediates[slot] = undefined;
  immediate._destroyed = true;
  immediate[kRefed] = null;
  const callback = immediate._onImmediate;
  const args = immediate._argv;
  immediate._onImmediate = null;
  if (args === undefined) callback.call(immediate);
  else callback.apply(immediate, args);
}

binding.onTimers(fireTimer, fireImmediate);

function check(callback) {
  if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
}

function setTimeout(callback, after, ...args) {
  check(callback);
  return new Timeout(callback, delayOf(after), args.length === 0 ? undefined : args, false);
}

function setInterval(callback, repeat, ...args) {
  check(callback);
  return new Timeout(callback, delayOf(repeat), args.length === 0 ? undefined : args, true);
}

function setImmediate(callback, ...args) {
  check(callback);
  return new Immediate(callback, args.length === 0 ? undefined : args);
}

function clearTimeout(timer) {
  if (typeof timer === 'number' || typeof timer === 'string') timer = byId.get(+timer);
  if (timer === null || typeof timer !== 'object' || timer._onTimeout === undefined) return;
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

function clearImmediate(immediate) {
  if (!immediate || immediate._destroyed || immediate[kSlot] === undefined) return;
  immediates[immediate[kSlot]] = undefined;
  immediate._destroyed = true;
  immediate[kRefed] = null;
  binding.immediateClear(immediate[kSlot]);
  immediate._onImmediate = null;
}

Object.defineProperty(setTimeout, custom, {
  enumerable: true,
  get: () => require('timers/promises').setTimeout,
});
Object.defineProperty(setImmediate, custom, {
  enumerable: true,
  get: () => require('timers/promises').setImmediate,
});

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
