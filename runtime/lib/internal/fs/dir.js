'use strict';
// Dir: an open directory, read a few entries at a time.

const { PromiseReject, arrayPush, arrayShift, over } = intrinsics;
const binding = native('fs');
const { coded, invalidArgType, validateInteger } = require('internal/errors');
const { makeDirents } = require('internal/fs/stats');
const { encodeText, joined, optionsOf, pathOf, wantsBytes } = require('internal/fs/util');

const closed = () => coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');
const busy = () => coded(Error, 'ERR_DIR_CONCURRENT_OPERATION',
  'Cannot do synchronous work on directory handle with concurrent asynchronous operations');

const DIR = { __proto__: null, encoding: 'utf8', bufferSize: 32, recursive: false };

class Dir {
  #handle;
  #path;
  #options;
  #entries = [];
  #folder; // the one being read; with `recursive` also those below
  #folders = []; // those still to be read
  #queue = null; // calls that wait for the current one

  constructor(handle, path, options) {
    if (handle == null) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "handle" argument must be specified');
    this.#handle = handle;
    this.#path = path;
    this.#options = optionsOf(options, DIR);
    validateInteger(this.#options.bufferSize, 'options.bufferSize', 1, 4294967295);
    this.#folder = path;
  }

  get path() {
    return this.#path;
  }

  // The next of the entries found, null at the end.
  #take(found) {
    const { encoding, recursive } = this.#options;
    this.#entries = makeDirents(found, this.#folder, (name) => encodeText(name, encoding));
    if (recursive)
      for (let i = 0; i < this.#entries.length; i++)
        if (this.#entries[i].isDirectory()) arrayPush.call(this.#folders, joined(this.#folder, found[2 * i]));
    return arrayShift.call(this.#entries);
  }

  #arguments(handle) {
    return [handle, this.#options.bufferSize, wantsBytes(this.#options.encoding)];
  }

  // Reads more, folder by folder; answers like the native functions.
  #more(callback) {
    binding.readdirSome(...over(this.#arguments(this.#handle)), (error, found) => {
      if (error || found !== null) callback(error, error ? undefined : this.#take(found));
      else this.#below(callback);
    });
  }

  // Each folder below is read completely at once; the handle belongs to the first one.
  #below(callback) {
    if (this.#folders.length === 0) return void callback(null, null);
    this.#folder = arrayShift.call(this.#folders);
    binding.readdir(this.#folder, wantsBytes(this.#options.encoding), true, (error, found) => {
      if (error || found.length > 0) callback(error, error ? undefined : this.#take(found));
      else this.#below(callback);
    });
  }

  read(callback) {
    if (callback === undefined)
      return new Promise((resolve, reject) => {
        this.#read((error, entry) => error ? reject(error) : resolve(entry));
      });
    if (typeof callback !== 'function') throw invalidArgType('cb', 'of type function', callback);
    return this.#read(callback);
  }

  #read(callback) {
    if (this.#handle === null) throw closed();
    if (this.#queue !== null) {
      arrayPush.call(this.#queue, () => this.#read(callback));
      return;
    }
    if (this.#entries.length > 0) {
      process.nextTick(callback, null, arrayShift.call(this.#entries));
      return;
    }
    this.#queue = [];
    this.#more((error, entry) => {
      const waiting = this.#queue;
      this.#queue = null;
      process.nextTick(() => {
        for (let i = 0; i < waiting.length; i++) waiting[i]();
      });
      if (error) callback(error);
      else callback(null, entry);
    });
  }

  readSync() {
    if (this.#handle === null) throw closed();
    if (this.#queue !== null) throw busy();
    if (this.#entries.length > 0) return arrayShift.call(this.#entries);
    let found = Reflect.apply(binding.readdirSome, binding, this.#arguments(this.#handle));
    while (found === null || found.length === 0) {
      if (this.#folders.length === 0) return null;
      this.#folder = arrayShift.call(this.#folders);
      found = binding.readdir(this.#folder, wantsBytes(this.#options.encoding), true);
    }
    return this.#take(found);
  }

  close(callback) {
    if (callback === undefined) {
      if (this.#handle === null) return PromiseReject(closed());
      return new Promise((resolve, reject) => {
        this.close((error) => error ? reject(error) : resolve());
      });
    }
    if (typeof callback !== 'function') throw invalidArgType('cb', 'of type function', callback);
    if (this.#handle === null) {
      process.nextTick(callback, closed());
      return undefined;
    }
    if (this.#queue !== null) {
      arrayPush.call(this.#queue, () => this.close(callback));
      return undefined;
    }
    const handle = this.#handle;
    this.#handle = null;
    binding.closedir(handle, callback);
    return undefined;
  }

  closeSync() {
    if (this.#handle === null) throw closed();
    if (this.#queue !== null) throw busy();
    const handle = this.#handle;
    this.#handle = null;
    binding.closedir(handle);
  }

  async *entries() {
    try {
      for (let entry; (entry = await this.read()) !== null;) yield entry;
    } finally {
      await this.close();
    }
  }
}
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, { __proto__: null,
  value: Dir.prototype.entries, writable: true, configurable: true,
});

// As in Node, a plain object is the base here (checkOptions).
const DIR_BASE = { encoding: 'utf8', bufferSize: 32 };

function opendirSync(path, options) {
  path = pathOf(path);
  options = optionsOf(options, DIR, DIR_BASE);
  return new Dir(binding.opendir(path), path, options);
}

function opendir(path, options, callback) {
  callback = typeof options === 'function' ? options : callback;
  if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
  path = pathOf(path);
  options = optionsOf(options, DIR, DIR_BASE);
  binding.opendir(path, (error, handle) => {
    if (error) callback(error);
    else callback(null, new Dir(handle, path, options));
  });
}

module.exports = { Dir, opendir, opendirSync };
