'use strict';
// Transform: a Duplex whose output is made of its input; PassThrough leaves it as it is.

const Duplex = require('internal/streams/duplex');
const { coded } = require('internal/errors');
const { highWaterMarkOf } = require('internal/streams/state');

const kCallback = Symbol('kCallback');

function Transform(options) {
  if (!(this instanceof Transform)) return new Transform(options);
  // With no room on the reading side the writing side has none either.
  const room = options ? highWaterMarkOf({ objectMode: false }, options, 'readableHighWaterMark', true) : null;
  if (room === 0)
    options = { ...options, highWaterMark: null, readableHighWaterMark: 0,
      writableHighWaterMark: options.writableHighWaterMark || 0 };
  Duplex.call(this, options);
  this._readableState.sync = false;
  this[kCallback] = null;
  if (options) {
    if (typeof options.transform === 'function') this._transform = options.transform;
    if (typeof options.flush === 'function') this._flush = options.flush;
  }
  this.on('prefinish', onPrefinish);
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

function final(callback) {
  if (typeof this._flush !== 'function' || this.destroyed) {
    this.push(null);
    if (callback) callback();
    return;
  }
  this._flush((error, data) => {
    if (error) {
      if (callback) callback(error);
      else this.destroy(error);
      return;
    }
    if (data !== undefined && data !== null) this.push(data);
    this.push(null);
    if (callback) callback();
  });
}

// A subclass with a _final of its own still ends its reading side.
function onPrefinish() {
  if (this._final !== final) final.call(this);
}

Transform.prototype._final = final;

Transform.prototype._transform = function () {
  throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _transform() method is not implemented');
};

Transform.prototype._write = function (chunk, encoding, callback) {
  const r = this._readableState;
  const w = this._writableState;
  const { length } = r;
  this._transform(chunk, encoding, (error, value) => {
    if (error) {
      callback(error);
      return;
    }
    if (value !== undefined && value !== null) this.push(value);
    // Without room for what came out, the next chunk waits until some is read.
    if (w.ended || length === r.length || r.length < r.highWaterMark) callback();
    else this[kCallback] = callback;
  });
};

Transform.prototype._read = function () {
  if (!this[kCallback]) return;
  const callback = this[kCallback];
  this[kCallback] = null;
  callback();
};

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = function (chunk, encoding, callback) {
  callback(null, chunk);
};

module.exports = { PassThrough, Transform };
