'use strict';
// readline: lines from a stream or a terminal, with a prompt, editing and history.

const { PromiseReject } = intrinsics;
const { promisify } = require('util');
const { abortedBy, validateAbortSignal, validateFunction } = require('internal/errors');
const cursor = require('internal/tty/cursor');
const { Base } = require('internal/readline/interface');
const { emitKeypressEvents } = require('internal/readline/keys');

function Interface(input, output, completer, terminal) {
  if (!(this instanceof Interface)) return new Interface(input, output, completer, terminal);
  Reflect.apply(Base, this, [input, output, completer, terminal]);
}
Object.setPrototypeOf(Interface.prototype, Base.prototype);
Object.setPrototypeOf(Interface, Base);

// (query[, options], callback)
Interface.prototype.question = function question(query, options, callback) {
  if (typeof options === 'function') ({ 0: options, 1: callback } = [{}, options]);
  const { signal } = options ?? {};
  if (signal) {
    validateAbortSignal(signal, 'options.signal');
    if (signal.aborted) return;
    const onAbort = () => this._dropQuestion();
    const answered = callback;
    signal.addEventListener('abort', onAbort, { __proto__: null, once: true });
    callback = typeof answered === 'function' ? (answer) => {
      signal.removeEventListener('abort', onAbort);
      return answered(answer);
    } : onAbort;
  }
  if (typeof callback === 'function') this._ask(query, callback);
};

Interface.prototype.question[promisify.custom] = function question(query, options) {
  const { signal } = options ?? {};
  if (signal && signal.aborted) return PromiseReject(abortedBy(signal));
  return new Promise((resolve, reject) => {
    let callback = resolve;
    if (signal) {
      const stop = () => reject(abortedBy(signal));
      signal.addEventListener('abort', stop, { __proto__: null, once: true });
      callback = (answer) => {
        signal.removeEventListener('abort', stop);
        resolve(answer);
      };
    }
    this.question(query, options, callback);
  });
};

function createInterface(input, output, completer, terminal) {
  return new Interface(input, output, completer, terminal);
}

module.exports = {
  Interface,
  clearLine: cursor.clearLine,
  clearScreenDown: cursor.clearScreenDown,
  createInterface,
  cursorTo: cursor.cursorTo,
  emitKeypressEvents(stream, reader) { emitKeypressEvents(stream, reader); },
  moveCursor: cursor.moveCursor,
  get promises() { return require('readline/promises'); },
};
