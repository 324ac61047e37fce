'use strict';
// Dir: an open directory, read a few entries at a time.

const binding = native('fs');
const { coded, invalidArgType, validateInteger } = require('internal/errors');
const { makeDirents } = require('internal/fs/stats');
const { encodeText, optionsOf, pathOf, wantsBytes } = require('internal/fs/util');

const closed = () => coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');
const busy = () => coded(Error, 'ERR_DIR_CONCURRENT_OPERATION',
  'Cannot do synchronous work on directory handle with concurrent asynchronous operations');

class Dir {
  #handle;
  #path;
  #options;
  #entries = [];
  #queue = null; // calls that wait for the one under way

  constructor(handle, path, options) {
    if (handle == null) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "handle" argument must be specified');
    this.#handle = handle;
    this.#path = path;
    this.#options = { bufferSize: 32, encoding: 'utf8', ...options };
    validateInteger(this.#options.bufferSize, 'options.bufferSize', 1, 4294967295);
  }

  get path() {
    return this.#path;
  }

  #take(found) {
    if (found === null) return null;
    const { encoding } = this.#options;
    this.#entries = makeDirents(found, this.#path, (name) => encodeText(name, encoding));
    return this.#entries.shift();
  }

  #arguments() {
    return [this.#handle, this.#options.bufferSize, wantsBytes(this.#options.encoding)];
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
      this.#queue.push(() => this.#read(callback));
      return;
    }
    if (this.#entries.length > 0) {
      process.nextTick(callback, null, this.#entries.shift());
      return;
    }
    this.#queue = [];
    binding.readdirSome(...this.#arguments(), (error, found) => {
      const waiting = this.#queue;
      this.#queue = null;
      process.nextTick(() => {
        for (const call of waiting) call();
      });
      if (error) callback(error);
      else callback(null, this.#take(found));
    });
  }

  readSync() {
    if (this.#handle === null) throw closed();
    if (this.#queue !== null) throw busy();
    if (this.#entries.length > 0) return this.#entries.shift();
    return this.#take(binding.readdirSome(...this.#arguments()));
  }

  close(callback) {
    if (callback === undefined) {
      if (this.#handle === null) return Promise.reject(closed());
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
      this.#queue.push(() => this.close(callback));
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
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, {
  value: Dir.prototype.entries, writable: true, configurable: true,
});

function opendirSync(path, options) {
  path = pathOf(path);
  options = optionsOf(options, { encoding: 'utf8' });
  return new Dir(binding.opendir(path), path, options);
}

function opendir(path, options, callback) {
  callback = typeof options === 'function' ? options : callback;
  if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
  path = pathOf(path);
  options = optionsOf(options, { encoding: 'utf8' });
  binding.opendir(path, (error, handle) => {
    if (error) callback(error);
    else callback(null, new Dir(handle, path, options));
  });
}

module.exports = { Dir, opendir, opendirSync };
