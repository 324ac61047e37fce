'use strict';
// Transform: a Duplex whose output is computed from its input; PassThrough doesn't change it.

// own methods: transform
const Duplex = require('internal/streams/duplex');
const { coded } = require('internal/errors');
const { highWaterMarkOf, methodTable, takeMethods } = require('internal/streams/state');

// The callback of a write that is delayed until its output is read.
const heldWrite = Symbol('kCallback');
const optionMethods = methodTable('transform', 'flush');

function Transform(options) {
  if (!new.target && !(this instanceof Transform)) return new Transform(options);
  Reflect.apply(Duplex, this, [withoutRoom(options) ?? options]);
  this[heldWrite] = null;
  this._readableState.sync = false; // data is pushed by a write, not by _read
  takeMethods(this, options, optionMethods);
  this.on('prefinish', prefinish);
}
Object.setPrototypeOf(Transform, Duplex);
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);

// With no buffer on the reading side the writing side has none either, unless the options ask for
// one.
function withoutRoom(options) {
  if (!options || highWaterMarkOf({ objectMode: false }, options, 'readableHighWaterMark', true) !== 0) return undefined;
  const writableHighWaterMark = options.writableHighWaterMark || 0;
  return { ...options, writableHighWaterMark, readableHighWaterMark: 0, highWaterMark: null };
}

const isValue = (value) => value !== undefined && value !== null;

function flush(transform, callback) {
  const finish = (error, rest) => {
    if (error) {
      callback(error);
      return;
    }
    if (isValue(rest)) transform.push(rest);
    transform.push(null);
    callback();
  };
  if (typeof transform._flush === 'function' && !transform.destroyed) transform._flush(finish);
  else finish();
}

// An error of a flush without a callback is the stream's error.
const destroyWith = (transform) => (error) => {
  if (error) transform.destroy(error);
};

function flushAsFinal(callback) {
  flush(this, callback || destroyWith(this));
}

// A subclass with a _final of its own still ends its reading side.
function prefinish() {
  if (this._final !== flushAsFinal) flush(this, destroyWith(this));
}

Object.assign(Transform.prototype, {
  _final: flushAsFinal,

  _transform() {
    throw coded(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _transform() method is not implemented');
  },

  _write(chunk, encoding, callback) {
    const output = this._readableState;
    const before = output.length;
    this._transform(chunk, encoding, (error, value) => {
      if (!error) {
        if (isValue(value)) this.push(value);
        // If there is no room for the output, the next chunk waits until some is read. After the
        // end no more chunks come, so no delay is needed.
        const full = output.length !== before && output.length >= output.highWaterMark;
        // After the end of the output a chunk takes a tick, so that a pipe which feeds it is slowed
        // down and 'end' comes in between.
        if (output.ended) process.nextTick(callback);
        else if (full && !this._writableState.ended) this[heldWrite] = callback;
        else callback();
      } else {
        callback(error);
      }
    });
  },

  _read() {
    const release = this[heldWrite];
    if (!release) return;
    this[heldWrite] = null;
    release();
  },
});

function PassThrough(options) {
  if (!new.target && !(this instanceof PassThrough)) return new PassThrough(options);
  Reflect.apply(Transform, this, [options]);
}
Object.setPrototypeOf(PassThrough, Transform);
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
PassThrough.prototype._transform = (chunk, encoding, done) => done(null, chunk);

module.exports = { PassThrough, Transform };
