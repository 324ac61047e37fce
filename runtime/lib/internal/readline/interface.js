'use strict';
// readline.Interface, for both of its modules: lines from a stream, or from a terminal, where they can be
// edited while they are typed.
//
// The methods and fields with an underscore are not part of the manual, but programs replace and read
// them: _writeToOutput to hide a password, _refreshLine and _ttyWrite to draw and to take keys themselves.

const { NumberIsFinite, arrayPush, over, stringCodePointAt } = intrinsics;
const EventEmitter = require('events');
const {
  coded, invalidArgValue, outOfRange, validateAbortSignal, validateArray, validateNumber, validateString, validateUint32,
} = require('internal/errors');
const { Lines } = require('internal/readline/lines');

const HISTORY_SIZE = 30;
const CRLF_LEAST = 100; // milliseconds
const ESCAPE_WAIT = 500;
const TAB_SIZE = 8;
const QUEUE_MOST = 1024; // lines that an iterator keeps before it pauses the interface

// Loaded for a terminal only.
const lazy = (name) => {
  let module;
  return () => module ??= require(name);
};
const editing = lazy('internal/readline/editing');
const screen = lazy('internal/readline/screen');
const typing = lazy('internal/readline/typing');
const completion = lazy('internal/readline/completion');

const used = () => coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');

// --- options --------------------------------------------------------------------------------------------

function checked(options) {
  const { input, output, completer, signal } = options;
  let { history, historySize, tabSize, escapeCodeTimeout, terminal, prompt, removeHistoryDuplicates, crlfDelay } = options;
  if (signal) validateAbortSignal(signal, 'options.signal');
  if (tabSize !== undefined) validateUint32(tabSize, 'tabSize', true);
  if (escapeCodeTimeout !== undefined && !NumberIsFinite(escapeCodeTimeout))
    throw invalidArgValue('input.escapeCodeTimeout', ESCAPE_WAIT); // the value so far, as in Node
  if (completer !== undefined && typeof completer !== 'function') throw invalidArgValue('completer', completer);
  if (history === undefined) history = [];
  else validateArray(history, 'history');
  if (historySize === undefined) historySize = HISTORY_SIZE;
  validateNumber(historySize, 'historySize');
  if (!(historySize >= 0)) throw outOfRange('historySize', '>= 0', historySize);
  terminal ??= output === null || output === undefined ? undefined : Boolean(output.isTTY);
  return {
    input, output, completer, signal, history, historySize, terminal,
    tabSize: tabSize ?? TAB_SIZE, escapeCodeTimeout: escapeCodeTimeout ?? ESCAPE_WAIT, prompt: prompt || prompt === '' ? prompt : '> ',
    removeHistoryDuplicates: Boolean(removeHistoryDuplicates), crlfDelay: crlfDelay ? Math.max(CRLF_LEAST, crlfDelay) : CRLF_LEAST,
  };
}

// (options), or (input, output, completer, terminal) as before there were options.
const optionsOf = (input, output, completer, terminal) =>
  checked(input?.input ? input : { input, output, completer, terminal });

// --- listening --------------------------------------------------------------------------------------------

// Listeners of other emitters, until the interface is closed.
function listen(rl, pairs) {
  for (const { 0: emitter, 1: name, 2: listener } of over(pairs)) emitter.on(name, listener);
  rl.once('close', () => {
    for (const { 0: emitter, 1: name, 2: listener } of over(pairs)) emitter.removeListener(name, listener);
  });
}

function readStream(rl) {
  const { input } = rl;
  listen(rl, [
    [input, 'error', (error) => rl.emit('error', error)],
    [input, 'data', (chunk) => rl._normalWrite(chunk)],
    [input, 'end', () => {
      const { rest } = rl._ends;
      if (typeof rest === 'string' && rest.length > 0) rl.emit('line', rest);
      rl.close();
    }],
  ]);
}

function readTerminal(rl) {
  const { input, output } = rl;
  require('internal/readline/keys').emitKeypressEvents(input, rl);
  const pairs = [
    [input, 'error', (error) => rl.emit('error', error)],
    [input, 'keypress', (text, key) => {
      rl._ttyWrite(text, key);
      if (!key?.sequence) return;
      // Half of a pair, whose other half comes next, is drawn with it.
      const code = stringCodePointAt.call(key.sequence, 0);
      if (code >= 0xd800 && code <= 0xdfff) rl._refreshLine();
    }],
    [input, 'end', () => {
      if (typeof rl.line === 'string' && rl.line.length > 0) rl.emit('line', rl.line);
      rl.close();
    }],
  ];
  if (output !== null && output !== undefined) arrayPush.call(pairs, [output, 'resize', () => rl._refreshLine()]);
  rl._setRawMode(true);
  rl.line = '';
  rl.cursor = 0;
  rl.historyIndex = -1;
  listen(rl, pairs);
}

function closeWhenAborted(rl, signal) {
  const close = () => process.nextTick(() => rl.close());
  if (signal.aborted) {
    close();
    return;
  }
  signal.addEventListener('abort', close, { __proto__: null, once: true });
  rl.once('close', () => signal.removeEventListener('abort', close));
}

// Makes an interface of an object. A constructor: its `this` may be an object of a class that was written as a function.
function Base(...args) {
  const options = optionsOf(...over(args));
  Reflect.apply(EventEmitter, this, []);
  const { prompt, completer, signal, ...fields } = options;
  Object.assign(this, fields, {
    line: '', cursor: 0, historyIndex: -1, prevRows: 0, paused: false, closed: false, isCompletionEnabled: true, completer,
    _sawKeyPress: false, _previousKey: undefined, _prompt: prompt, _ends: new Lines(), _question: undefined, _isAwaited: false,
  });
  // One that takes no callback returns its answers.
  if (typeof completer === 'function' && !this._isPromised && completer.length !== 2)
    this.completer = (line, callback) => callback(null, completer(line));
  this.terminal = Boolean(options.terminal);
  if (this.terminal) readTerminal(this);
  else readStream(this);
  if (signal) closeWhenAborted(this, signal);
  this.input.resume();
}
Object.setPrototypeOf(Base.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Base, EventEmitter);

// --- methods ------------------------------------------------------------------------------------------------

class Methods {
  get columns() { return screen().widthOf(this); }

  getPrompt() { return this._prompt; }
  setPrompt(prompt) { this._prompt = prompt; }

  prompt(preserveCursor) {
    if (this.paused) this.resume();
    if (this.terminal && process.env.TERM !== 'dumb') {
      if (!preserveCursor) this.cursor = 0;
      this._refreshLine();
    } else {
      this._writeToOutput(this._prompt);
    }
  }

  close() {
    if (this.closed) return;
    this.pause();
    if (this.terminal) this._setRawMode(false);
    this.closed = true;
    this.emit('close');
  }

  pause() {
    if (this.paused) return undefined;
    this.input.pause();
    this.paused = true;
    this.emit('pause');
    return this;
  }

  resume() {
    if (!this.paused) return undefined;
    this.input.resume();
    this.paused = false;
    this.emit('resume');
    return this;
  }

  write(data, key) {
    if (this.paused) this.resume();
    if (this.terminal) this._ttyWrite(data, key);
    else this._normalWrite(data);
  }

  clearLine() { editing().clear(this); }
  getCursorPos() { return screen().cursorPlace(this); }

  // Takes the next line for a question; its prompt stands there meanwhile.
  _ask(query, callback) {
    if (this.closed) throw used();
    if (this._question === undefined) {
      this._question = { callback, prompt: this._prompt };
      this.setPrompt(query);
    }
    this.prompt();
  }

  _dropQuestion() {
    if (this._question === undefined) return;
    this.setPrompt(this._question.prompt);
    this._question = undefined;
    this.clearLine();
  }

  _onLine(line) {
    const question = this._question;
    if (question === undefined) {
      this.emit('line', line);
      return;
    }
    this._question = undefined;
    this.setPrompt(question.prompt);
    (0, question.callback)(line);
  }

  _setRawMode(mode) {
    const { input } = this;
    const before = input.isRaw;
    if (typeof input.setRawMode === 'function') input.setRawMode(mode);
    return before;
  }

  _writeToOutput(text) {
    validateString(text, 'stringToWrite');
    if (this.output !== null && this.output !== undefined) this.output.write(text);
  }

  _normalWrite(chunk) {
    if (chunk === undefined) return;
    this._ends.take(chunk, this.crlfDelay, (line) => this._onLine(line));
  }

  _ttyWrite(text, key) { typing().type(this, text, key ?? {}); }
  _refreshLine() { screen().redraw(this); }
  _insertString(text) { editing().insert(this, text); }
  _tabComplete(isSecond) { this._isPromised ? completion().completeLater(this, isSecond) : completion().complete(this, isSecond); }
  _addHistory() { return editing().keep(this); }
  _line() { editing().finish(this); }
  _historyNext() { editing().newer(this); }
  _historyPrev() { editing().older(this); }
  _deleteLeft() { editing().deleteLeft(this); }
  _deleteRight() { editing().deleteRight(this); }
  _deleteWordLeft() { editing().deleteWordLeft(this); }
  _deleteWordRight() { editing().deleteWordRight(this); }
  _deleteLineLeft() { editing().cutLineLeft(this); }
  _deleteLineRight() { editing().cutLineRight(this); }
  _wordLeft() { editing().toWordLeft(this); }
  _wordRight() { editing().toWordRight(this); }
  _moveCursor(count) { screen().moveBy(this, count); }
  _getCursorPos() { return this.getCursorPos(); }
  _getDisplayPos(text) { return screen().placeBehind(this, text); }

  // The lines as an iterator, the same at each call.
  [Symbol.asyncIterator]() {
    return this._lines ??= require('internal/events_awaited').onFirst(this, 'line', { close: ['close'], highWaterMark: QUEUE_MOST });
  }
}

for (const name of over(Reflect.ownKeys(Methods.prototype)))
  if (name !== 'constructor')
    Object.defineProperty(Base.prototype, name, Object.getOwnPropertyDescriptor(Methods.prototype, name));
Object.defineProperty(Base.prototype, '_isPromised', { __proto__: null, value: false, writable: true, configurable: true });

module.exports = { Base };
