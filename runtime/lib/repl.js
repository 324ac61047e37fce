'use strict';
// repl: a prompt that reads code, runs it and prints its value.

const {
  NumberIsNaN, NumberParseFloat, arrayFilter, arrayFindIndex, arrayJoin, arrayPush, arrayShift, arraySlice, over, regexpExec, regexpReplace, regexpTest, stringCharAt, stringEndsWith, stringIncludes, stringRepeat, stringSlice, stringSplit,
  stringStartsWith, stringTrim,
} = intrinsics;
const EventEmitter = require('events');
const { Interface } = require('readline');
const { inspect } = require('util');
const { coded, validateFunction } = require('internal/errors');
const { Recoverable, Refused, evaluate, interrupted } = require('internal/repl/evaluate');
const { Module } = require('internal/loader');
const tools = require('internal/tools');

const REPL_MODE_SLOPPY = Symbol('repl-sloppy');
const REPL_MODE_STRICT = Symbol('repl-strict');
const builtinModules = arrayFilter.call(Module.builtinModules, (name) => !stringStartsWith.call(name, '_'));

const writer = (value) => inspect(value, writer.options);
writer.options = { ...inspect.defaultOptions, showProxy: true };
Object.defineProperty(inspect, 'replDefaults', {
  __proto__: null,
  get: () => writer.options,
  set(options) {
    require('internal/errors').validateObject(options, 'options');
    Object.assign(writer.options, options);
  },
  configurable: true, enumerable: false,
});

const COMMAND = /^\.([^\s]+)\s*(.*)$/;
let inputs = 0; // of all prompts: names of places in what was typed

// --- values and errors, printed --------------------------------------------------------------------------------

const ERROR_LINE = /^\[?(?:[A-Z][a-z\d_]*)*Error/;

function errorText(repl, error) {
  const isError = typeof error === 'object' && error !== null && typeof error.stack === 'string' && error instanceof Error;
  if (isError) cutStack(error);
  let text = repl.writer(error);
  // An error without frames and without properties is printed without the brackets that inspect puts around it.
  if (isError && stringStartsWith.call(text, '[') && stringEndsWith.call(text, ']')) text = stringSlice.call(text, 1, -1);
  const width = repl.writer.options?.breakLength ?? 80;
  const lines = stringSplit.call(text, '\n');
  let isMarked = false;
  for (let i = 0; i < lines.length && !isMarked; i++) {
    if (!regexpTest(ERROR_LINE, lines[i])) continue;
    isMarked = true;
    lines[i] = lines[i].length < width ? `Uncaught ${lines[i]}` : `Uncaught:\n${lines[i]}`;
  }
  text = arrayJoin.call(lines, '\n');
  if (!isMarked) text = lines.length === 1 ? `Uncaught ${text}` : `Uncaught:\n${text}`;
  return stringEndsWith.call(text, '\n') ? text : `${text}\n`;
}

const linesOf = (error) => stringSplit.call(require('internal/stack').full(error), '\n');
const OURS = /^    at (?:.* \()?node:/;
const AT_INPUT = /^    at \$input\$ \(/;
const AT_TOP = /^    at REPL\d+:\d+:\d+$/;
const SYNTAX_PLACE = /^REPL\d+:\d+\n/;

// The frames below what was typed are the prompt's own; a place in the text itself, with no function
// around it, says nothing.
function cutStack(error) {
  try {
    if (regexpTest(SYNTAX_PLACE, error.stack)) {
      error.stack = regexpReplace(SYNTAX_PLACE, error.stack, '');
      return;
    }
    const lines = linesOf(error);
    const outer = linesOf(new Error());
    while (lines.length > 0 && outer.length > 1 && lines[lines.length - 1] === outer[outer.length - 1] && stringStartsWith.call(lines[lines.length - 1], '    at ')) {
      lines.length--;
      outer.length--;
    }
    let top = arrayFindIndex.call(lines, (line) => regexpTest(AT_INPUT, line));
    if (top === -1) for (top = lines.length - 1; top >= 0 && !regexpTest(AT_TOP, lines[top]);) top--;
    const kept = arrayFilter.call(top === -1 ? lines : arraySlice.call(lines, 0, top), (line) => !regexpTest(OURS, line));
    error.stack = arrayJoin.call(kept, '\n');
  } catch {
    // A frozen error is printed as it is.
  }
}

// --- the prompt --------------------------------------------------------------------------------------------------

const isColored = (output) => Boolean(output?.isTTY) && (typeof output.getColorDepth !== 'function' || output.getColorDepth() > 2);

function optionsOf(given) {
  const options = { ...given };
  const { breakEvalOnSigint, eval: own } = options;
  if (breakEvalOnSigint && own)
    throw coded(TypeError, 'ERR_INVALID_REPL_EVAL_CONFIG', 'Cannot specify both "breakEvalOnSigint" and "eval" for REPL');
  if (!own) require('internal/syntax').acorn(); // throws in a build without it
  if (own !== undefined && own !== null && own !== false) validateFunction(own, 'eval');
  const isOwn = Boolean(options.input ?? options.output ?? options.stream);
  if (!isOwn) Object.assign(options, { input: process.stdin, output: process.stdout });
  options.input ??= options.stream ?? process.stdin;
  options.output ??= options.stream ?? process.stdout;
  options.terminal ??= Boolean(options.output.isTTY);
  options.useColors ??= isColored(options.output);
  return options;
}

// (options), or (prompt, stream, eval, useGlobal, ignoreUndefined, replMode)
function REPLServer(prompt, stream, evaluateOwn, useGlobal, ignoreUndefined, replMode) {
  if (!(this instanceof REPLServer)) return new REPLServer(prompt, stream, evaluateOwn, useGlobal, ignoreUndefined, replMode);
  const options = optionsOf(prompt !== null && typeof prompt === 'object' ? prompt :
    { prompt, input: stream?.stdin ?? stream, output: stream?.stdout ?? stream, eval: evaluateOwn, useGlobal, ignoreUndefined, replMode });
  const completer = options.completer ?? ((line, callback) => this.completeOnInput(line, callback));
  Reflect.apply(Interface, this, [{
    input: options.input, output: options.output, completer: (line, callback) => {
      if (completer.length === 2) completer(line, callback);
      else callback(null, completer(line));
    },
    terminal: options.terminal, historySize: options.historySize, prompt: options.prompt ?? '> ', removeHistoryDuplicates: false,
  }]);
  const fields = {
    useGlobal: Boolean(options.useGlobal), ignoreUndefined: Boolean(options.ignoreUndefined), useColors: Boolean(options.useColors),
    replMode: options.replMode ?? REPL_MODE_SLOPPY, breakEvalOnSigint: Boolean(options.breakEvalOnSigint), editorMode: false,
    underscoreAssigned: false, underscoreErrAssigned: false, last: undefined, lastError: undefined, lines: [], bufferedInput: '',
    _initialPrompt: options.prompt ?? '> ', _domain: new EventEmitter(), inputStream: options.input, outputStream: options.output,
    _isClosing: false, _isRunning: false, _queue: [], _hasInterrupted: false, _owesPrompt: false, commands: { __proto__: null },
  };
  Object.assign(this, fields);
  this.lines.level = [];
  this._domain.on('error', (error) => this._failed(error)); // for those who listen, too
  this.eval = options.eval || ((code, context, file, callback) => this._evaluate(code, context, file, callback));
  this.writer = options.writer ?? writerOf(this);
  this.resetContext();
  require('internal/repl/commands').defineAll(this);
  this.on('line', (line) => this._takeLine(line));
  this.on('SIGINT', () => this._interrupt());
  this.on('SIGCONT', () => {
    if (this.editorMode) this.prompt(true);
    else this.displayPrompt(true);
  });
  this.on('close', () => {
    this._saveHistory?.();
    if (this._isRunning) this._isClosing = true; // what runs is waited for
    else process.nextTick(() => this.emit('exit'));
  });
  this.displayPrompt();
}
Object.setPrototypeOf(REPLServer.prototype, Interface.prototype);
Object.setPrototypeOf(REPLServer, Interface);

function writerOf(repl) {
  const own = (value) => inspect(value, { ...writer.options, ...own.options });
  own.options = { __proto__: null, breakLength: writer.options.breakLength, colors: repl.useColors };
  return own;
}

// Any value may be thrown, also null.
class Thrown {
  constructor(value) {
    this.value = value;
  }
}

class Methods {
  // --- what was typed --------------------------------------------------------------------------------------------

  _takeLine(line) {
    if (this._isRunning) { // an await, or an eval that calls back later
      arrayPush.call(this._queue, line);
      return;
    }
    line = line || '';
    if (this.editorMode) {
      this.bufferedInput += `${line}\n`;
      this._remember(line);
      // As deep as the line before.
      const indent = regexpExec.call(/^\s*/, line)[0];
      if (this._sawKeyPress && !this._isLoading && indent !== '') this._insertString(indent);
      return;
    }
    const word = stringTrim.call(line);
    this._hasInterrupted = false;
    if (word !== '' && stringCharAt.call(word, 0) === '.' && stringCharAt.call(word, 1) !== '.' && NumberIsNaN(NumberParseFloat(word))) {
      const { 1: name, 2: rest } = regexpExec.call(COMMAND, word) ?? [];
      const command = name === undefined ? undefined : this.commands[name];
      if (command !== undefined) {
        Reflect.apply(command.action, this, [rest]);
        return;
      }
      if (this.bufferedInput === '') {
        this.output.write('Invalid REPL keyword\n');
        this.displayPrompt();
        return;
      }
    }
    this._run(`${this.bufferedInput}${line}\n`, line);
  }

  _run(code, line) {
    this._isRunning = true;
    let isDone = false;
    const done = (...answer) => {
      if (isDone) return;
      isDone = true;
      this._isRunning = false;
      this._finish(line, ...over(answer));
    };
    try {
      (0, this.eval)(code, this.context, `REPL${++inputs}`, done);
    } catch (error) {
      done(new Thrown(error));
    }
  }

  _finish(line, error, value) {
    if (!(error instanceof Thrown)) this._remember(line); // as Node: .save leaves out what threw
    if (error instanceof Recoverable) {
      this.bufferedInput += `${line}\n`;
      this.displayPrompt();
    } else {
      const failed = error !== null && error !== undefined;
      this.clearBufferedCommand();
      if (failed) this._domain.emit('error', error instanceof Thrown ? error.value : error);
      else if (arguments.length > 2) this._show(value);
      if (!failed || this.closed) this.displayPrompt();
    }
    if (this._owesPrompt) { // to a command, behind what it ran
      this._owesPrompt = false;
      this.displayPrompt();
    }
    this._goOn();
    if (this._isClosing && !this._isRunning) {
      this._isClosing = false;
      this.emit('exit');
    }
  }

  // Lines that came while something ran.
  _goOn() {
    while (this._queue.length > 0 && !this._isRunning) this._takeLine(arrayShift.call(this._queue));
  }

  _show(value) {
    if (this.ignoreUndefined && value === undefined) return;
    if (!this.underscoreAssigned) this.last = value;
    this.output.write(`${this.writer(value)}\n`);
  }

  // The listeners of a program that is nothing but a prompt hear of errors instead.
  _failed(error) {
    if (!this._isStandalone || process.listenerCount('uncaughtException') === 0) {
      this._fail(error);
      return;
    }
    process.nextTick(() => {
      process.emit('uncaughtException', error);
      this.clearBufferedCommand();
      this.lines.level = [];
      if (!this.closed) this.displayPrompt();
    });
  }

  _fail(error) {
    if (!this.underscoreErrAssigned) this.lastError = error;
    let text;
    try {
      text = errorText(this, error);
    } catch (second) {
      text = `Uncaught ${String(second)}\n`;
    }
    this.output.write(text);
    this.clearBufferedCommand();
    this.lines.level = [];
    if (!this.closed) this.displayPrompt();
  }

  _evaluate(input, context, file, callback) {
    const isStrict = this.replMode === REPL_MODE_STRICT;
    if (input === '\n') {
      callback(null);
      return;
    }
    let result;
    const isBreakable = this.breakEvalOnSigint;
    const isGuarded = isBreakable && this.useGlobal;
    if (isGuarded) native('prompt').guard();
    const wasRaw = isBreakable && this.terminal ? this._setRawMode(false) : false; // so that Ctrl-C is a signal
    let isSettled = false;
    const unguard = () => {
      if (wasRaw && !this.closed) this._setRawMode(true); // Ctrl-C is a key again
      return isGuarded && native('prompt').unguard();
    };
    const onWait = () => {
      if (unguard()) this._stopWaiting?.();
    };
    const settle = (hasThrown, value) => {
      unguard();
      this._stopWaiting = undefined;
      if (isSettled) return;
      isSettled = true;
      if (!hasThrown) callback(null, value);
      else if (value instanceof Refused) callback(value.error);
      else callback(value instanceof Recoverable ? value : new Thrown(value));
    };
    // Ctrl-C leaves the wait for a promise; what is awaited goes on.
    this._stopWaiting = () => settle(true, interrupted());
    try {
      evaluate({ input, file, context, isStrict, isBreakable, onWait }, settle);
    } catch (error) {
      settle(true, error);
    }
  }

  // For .save, and for how deep the next line begins.
  _remember(line) {
    if (line === undefined) return;
    arrayPush.call(this.lines, line);
    const { level } = this.lines;
    for (const sign of over(line)) {
      if (stringIncludes.call('({[', sign)) arrayPush.call(level, sign);
      else if (stringIncludes.call(')}]', sign) && level.length > 0) level.length--;
    }
  }

  _interrupt() {
    if (this._stopWaiting !== undefined) {
      this._stopWaiting();
      return;
    }
    const isEmpty = this.line.length === 0;
    this._turnOffEditor();
    this.clearLine();
    if (this.bufferedInput === '' && isEmpty) {
      if (this._hasInterrupted) {
        this.close();
        this._hasInterrupted = false;
        return;
      }
      this.output.write('(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n');
      this._hasInterrupted = true;
    } else {
      this._hasInterrupted = false;
    }
    this.clearBufferedCommand();
    this.lines.level = [];
    this.displayPrompt();
  }

  // --- editor mode ------------------------------------------------------------------------------------------------

  _turnOnEditor() {
    this.editorMode = true;
    Reflect.apply(Interface.prototype.setPrompt, this, ['']);
  }

  _turnOffEditor() {
    this.editorMode = false;
    this.setPrompt(this._initialPrompt);
  }

  _ttyWrite(text, key) {
    key ??= {};
    if (this.editorMode && key.ctrl && !key.shift && key.name === 'd') {
      const { line } = this;
      const code = `${this.bufferedInput}${line}\n`;
      this._turnOffEditor();
      this.clearLine();
      this._run(code, line);
      return;
    }
    // The prompt at its second Ctrl-C in a row leaves; any other key begins anew.
    if (!(key.ctrl && key.name === 'c')) this._hasInterrupted = false;
    if (this.editorMode && key.name === 'tab' && this._previousKey?.name !== 'tab' && stringTrim.call(this.line) === '') {
      this._insertString('  ');
      return;
    }
    Reflect.apply(Interface.prototype._ttyWrite, this, [text, key]);
  }

  // --- the interface ---------------------------------------------------------------------------------------------

  displayPrompt(preserveCursor) {
    let prompt = this._initialPrompt;
    if (this.bufferedInput !== '') prompt = `...${stringRepeat.call('..', Math.max(0, this.lines.level.length - 1))} `;
    Reflect.apply(Interface.prototype.setPrompt, this, [prompt]);
    if (!this.closed) this.prompt(preserveCursor);
    else if (this._isClosing) this._writeToOutput(prompt); // lines that came before the end
  }

  setPrompt(prompt) {
    this._initialPrompt = prompt;
    Reflect.apply(Interface.prototype.setPrompt, this, [prompt]);
  }

  clearBufferedCommand() { this.bufferedInput = ''; }

  close() {
    Reflect.apply(Interface.prototype.close, this, []);
  }

  defineCommand(name, command) {
    if (typeof command === 'function') command = { action: command };
    else validateFunction(command?.action, 'cmd.action');
    this.commands[name] = command;
  }

  setupHistory(file, callback = () => {}) { require('internal/repl/history').setupHistory(this, file, callback); }

  complete(...args) { Reflect.apply(this.completer, this, args); }

  completeOnInput(line, callback) {
    if (this.editorMode) callback(null, [[], line]);
    else require('internal/repl/completion').complete(this, line, callback);
  }

  createContext() { return this.useGlobal ? global : contextOf(); }

  resetContext() {
    this.context = this.createContext();
    this.underscoreAssigned = false;
    this.underscoreErrAssigned = false;
    this.lines.length = 0;
    this.lines.level = [];
    remembered(this, '_', 'last', 'underscoreAssigned', 'Expression assignment to _ now disabled.\n');
    remembered(this, '_error', 'lastError', 'underscoreErrAssigned', 'Expression assignment to _error now disabled.\n');
    nameModules(this.context);
    this.emit('reset', this.context);
  }
}
for (const name of over(Reflect.ownKeys(Methods.prototype)))
  if (name !== 'constructor')
    Object.defineProperty(REPLServer.prototype, name, Object.getOwnPropertyDescriptor(Methods.prototype, name));

// The last value and the last error, until the program gives the name a value of its own.
function remembered(repl, name, field, assigned, words) {
  Object.defineProperty(repl.context, name, {
    __proto__: null,
    configurable: true,
    get: () => repl[field],
    set(value) {
      repl[field] = value;
      if (repl[assigned]) return;
      repl[assigned] = true;
      repl.output.write(words);
    },
  });
}

// Builtin modules under their names, and require.
function nameModules(context) {
  const module = new Module('<repl>');
  module.paths = [...over(Module._nodeModulePaths(process.cwd())), ...over(Module.globalPaths)];
  const define = (name, value) => Object.defineProperty(context, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  define('module', module);
  define('require', Module.createRequire(`${process.cwd()}/<repl>`));
  for (const name of over(builtinModules)) {
    if (stringIncludes.call(name, '/') || (name !== 'crypto' && name in global && context === global) || name === 'process' || name === 'console') continue;
    Object.defineProperty(context, name, { __proto__: null, configurable: true, enumerable: false,
      get() {
        const found = tools.requireBuiltin(name);
        define(name, found);
        return found;
      },
      set: (value) => define(name, value),
    });
  }
}

// The globals of a prompt that has its own: they stand before the program's.
function contextOf() {
  const context = Object.create(null);
  for (const name of over(Object.getOwnPropertyNames(global))) {
    const descriptor = Object.getOwnPropertyDescriptor(global, name);
    if (regexpTest(/^(?:Infinity|NaN|undefined|globalThis|global)$/, name)) continue;
    descriptor.configurable = true;
    if ('value' in descriptor) descriptor.writable = true;
    Object.defineProperty(context, name, descriptor);
  }
  for (const name of over(['global', 'globalThis']))
    Object.defineProperty(context, name, { __proto__: null, value: context, writable: true, configurable: true, enumerable: false });
  return context;
}

function start(...args) {
  return new REPLServer(...over(args));
}

const isValidSyntax = (code) => require('internal/syntax').parse(code, 'prompt').error === undefined;

module.exports = {
  REPLServer, REPL_MODE_SLOPPY, REPL_MODE_STRICT, Recoverable, builtinModules, isValidSyntax, start, writer,
  _builtinLibs: builtinModules,
};
