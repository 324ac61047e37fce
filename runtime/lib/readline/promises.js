'use strict';
// readline/promises: questions that are awaited, and a list of movements of the cursor that are done together.

const { PromiseReject, arrayJoin, arrayPush } = intrinsics;
const {
  abortedBy, coded, invalidArgType, validateAbortSignal, validateBoolean, validateInteger,
} = require('internal/errors');
const { Base } = require('internal/readline/interface');

class Interface extends Base {
  get _isPromised() { return true; }

  question(query, options) {
    const { signal } = options ?? {};
    if (signal) {
      validateAbortSignal(signal, 'options.signal');
      if (signal.aborted) return PromiseReject(abortedBy(signal));
    }
    return new Promise((resolve, reject) => {
      let onAbort;
      this._ask(query, (answer) => {
        if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
        resolve(answer);
      });
      if (!signal) return;
      onAbort = () => {
        this._dropQuestion();
        reject(abortedBy(signal));
      };
      signal.addEventListener('abort', onAbort, { __proto__: null, once: true });
    });
  }
}

// --- movements of the cursor ---------------------------------------------------------------------------------

const isWritable = (stream) => typeof stream?.write === 'function' && typeof stream?.on === 'function' && stream._writableState !== undefined;

class Readline {
  #stream;
  #isImmediate = false;
  #waiting = [];

  constructor(stream, options) {
    if (!isWritable(stream)) throw invalidArgType('stream', 'an instance of Writable', stream);
    this.#stream = stream;
    if (options?.autoCommit === undefined) return;
    validateBoolean(options.autoCommit, 'options.autoCommit');
    this.#isImmediate = options.autoCommit;
  }

  #add(text) {
    if (this.#isImmediate) process.nextTick(() => this.#stream.write(text));
    else arrayPush.call(this.#waiting, text);
    return this;
  }

  cursorTo(x, y) {
    validateInteger(x, 'x');
    if (y === undefined) return this.#add(`\x1b[${x + 1}G`);
    validateInteger(y, 'y');
    return this.#add(`\x1b[${y + 1};${x + 1}H`);
  }

  moveCursor(dx, dy) {
    if (!dx && !dy) return this;
    validateInteger(dx, 'dx');
    validateInteger(dy, 'dy');
    let text = '';
    if (dx !== 0) text += dx < 0 ? `\x1b[${-dx}D` : `\x1b[${dx}C`;
    if (dy !== 0) text += dy < 0 ? `\x1b[${-dy}A` : `\x1b[${dy}B`;
    return this.#add(text);
  }

  clearLine(direction) {
    validateInteger(direction, 'dir', -1, 1);
    return this.#add(direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K');
  }

  clearScreenDown() { return this.#add('\x1b[0J'); }

  commit() {
    const text = arrayJoin.call(this.#waiting, '');
    this.#waiting = [];
    return new Promise((resolve) => this.#stream.write(text, resolve));
  }

  rollback() {
    this.#waiting = [];
    return this;
  }
}

function createInterface(input, output, completer, terminal) {
  return new Interface(input, output, completer, terminal);
}

module.exports = { Interface, Readline, createInterface };
