'use strict';
// fs.watch and fs.watchFile.

const { arrayFill, arrayPush, arrayShift } = intrinsics;
const binding = native('fs');
const handles = native('handle');
const tools = require('internal/tools');
const EventEmitter = require('events');
const { resolve } = require('path');
const {
  abortedBy, invalidArgType, invalidArgValue, uvError, validateAbortSignal, validateBoolean, validateFunction,
  validateInteger, validateObject,
} = require('internal/errors');
const { BigIntStats, Stats } = require('internal/fs/stats');
const { encodeText, optionsOf, pathOf } = require('internal/fs/util');
const { Buffer } = require('buffer');

class FSWatcher extends EventEmitter {
  #handle = null;
  #encoding;
  #path;

  // Called from C.
  onchange(status, rename, name) {
    if (this.#handle === null) return;
    if (status < 0) {
      const error = uvError(status, 'watch', this.#path);
      error.filename = name ?? this.#path;
      this.#stop();
      this.emit('error', error);
      return;
    }
    if (name !== null && this.#encoding && this.#encoding !== 'utf8')
      name = encodeText(Buffer.from(name), this.#encoding);
    if (tools.nameAfter !== undefined) tools.nameAfter(this.listeners('change')[0]);
    this.emit('change', rename ? 'rename' : 'change', name);
  }

  start(path, { persistent, recursive, encoding }) {
    this.#path = String(path);
    this.#encoding = encoding;
    try {
      this.#handle = binding.watch(this, path, Boolean(recursive));
    } catch (error) {
      error.filename = this.#path;
      throw error;
    }
    if (!persistent) this.unref();
  }

  #stop() {
    const handle = this.#handle;
    this.#handle = null;
    handles.close(handle);
  }

  close() {
    if (this.#handle === null) return;
    this.#stop();
    process.nextTick(() => this.emit('close'));
  }

  ref() {
    if (this.#handle !== null) handles.ref(this.#handle);
    return this;
  }

  unref() {
    if (this.#handle !== null) handles.unref(this.#handle);
    return this;
  }
}

const WATCH = { __proto__: null, encoding: 'utf8', persistent: true, recursive: false, signal: undefined };

function watch(path, options, listener) {
  if (typeof options === 'function') ({ 0: options, 1: listener } = [undefined, options]);
  path = pathOf(path);
  options = optionsOf(options, WATCH);
  if (options.recursive) validateBoolean(options.recursive, 'options.recursive');
  const { signal } = options;
  const watcher = new FSWatcher();
  watcher.start(path, options);
  if (listener) watcher.on('change', listener);
  if (signal?.aborted) process.nextTick(() => watcher.close());
  else if (signal !== undefined) {
    const abort = () => watcher.close();
    signal.addEventListener('abort', abort, { once: true });
    watcher.once('close', () => signal.removeEventListener('abort', abort));
  }
  return watcher;
}

// fs.promises.watch: the changes one by one, queued until they are asked for.
async function* iterate(path, given = {}) {
  validateObject(given, 'options');
  const options = { __proto__: null, ...WATCH, ...given };
  const { encoding, persistent, recursive, signal } = options;
  validateBoolean(persistent, 'options.persistent');
  validateBoolean(recursive, 'options.recursive');
  validateAbortSignal(signal, 'options.signal');
  if (encoding !== null && !Buffer.isEncoding(encoding))
    throw invalidArgValue('encoding', encoding, 'is invalid encoding');
  const events = [];
  let failed, wake;
  if (signal?.aborted) throw abortedBy(signal);
  options.signal = undefined;
  const watcher = watch(path, options);
  const wakeUp = () => wake?.();
  const abort = () => {
    failed = abortedBy(signal);
    wakeUp();
  };
  watcher.on('change', (eventType, filename) => {
    arrayPush.call(events, { eventType, filename });
    wakeUp();
  });
  watcher.on('error', (error) => {
    failed = error;
    wakeUp();
  });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      while (events.length > 0) yield arrayShift.call(events);
      if (failed) throw failed;
      await new Promise((done) => { wake = done; });
    }
  } finally {
    watcher.close();
    signal?.removeEventListener('abort', abort);
  }
}

// --- watchFile --------------------------------------------------------------------------------

const watched = new Map(); // resolved path -> StatWatcher

class StatWatcher extends EventEmitter {
  #handle = null;
  #old = -1;
  #big;

  start(path, { interval, persistent, bigint }) {
    this.#big = Boolean(bigint);
    this.#handle = binding.poll(this, path, interval, this.#big);
    if (!persistent) this.unref();
    // A missing file is reported once, with zeros.
    binding.stat(path, this.#big, (error) => {
      if (error && this.#handle !== null && this.#old === -1) this.onstat(error.errno, this.#nothing(), this.#nothing());
    });
  }

  #nothing() {
    return this.#big ? Reflect.construct(BigIntStats, arrayFill.call(new Array(14), 0n)) : Reflect.construct(Stats, arrayFill.call(new Array(14), 0));
  }

  onstat(status, now, before) {
    if (this.#old === status && status < 0) return;
    this.#old = status;
    this.emit('change', status < 0 ? this.#nothing() : now, before);
  }

  stop() {
    if (this.#handle === null) return;
    handles.close(this.#handle);
    this.#handle = null;
    process.nextTick(() => this.emit('stop'));
  }

  ref() {
    if (this.#handle !== null) handles.ref(this.#handle);
    return this;
  }

  unref() {
    if (this.#handle !== null) handles.unref(this.#handle);
    return this;
  }
}

// watchFile(path[, options], listener)
function watchFile(path, given, listener) {
  path = resolve(String(pathOf(path)));
  if (typeof given !== 'object' || given === null) ({ 0: given, 1: listener } = [{}, given]);
  if (typeof listener !== 'function') throw invalidArgType('listener', 'of type function', listener);
  const options = { __proto__: null, interval: 5007, persistent: true, bigint: false, ...given };
  validateInteger(options.interval, 'interval', 0, 4294967295);
  let watcher = watched.get(path);
  if (watcher === undefined) {
    watcher = new StatWatcher();
    watcher.start(path, options);
    watched.set(path, watcher);
  }
  watcher.addListener('change', listener);
  return watcher;
}

function unwatchFile(path, listener) {
  path = resolve(String(pathOf(path)));
  const watcher = watched.get(path);
  if (watcher === undefined) return;
  if (listener !== undefined) {
    validateFunction(listener, 'listener');
    watcher.removeListener('change', listener);
  } else {
    watcher.removeAllListeners('change');
  }
  if (watcher.listenerCount('change') > 0) return;
  watcher.stop();
  watched.delete(path);
}

module.exports = { FSWatcher, StatWatcher, iterate, unwatchFile, watch, watchFile };
