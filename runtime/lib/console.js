'use strict';
// The console module: the global one, and consoles on other streams.

const { arrayIncludes, functionBind, over, regexpReplace, stringRepeat, stringSlice, stringStartsWith } = intrinsics;
const { formatWithOptions, inspect } = require('internal/inspect');
const { durationText } = require('internal/duration');
const errors = require('internal/errors');

const kState = Symbol('state');
const now = () => native('process').hrtime() / 1e6;

function checkStream(stream, name) {
  if (typeof stream?.write !== 'function')
    throw errors.coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', `Console expects a writable stream instance for ${name}`);
}

function readOptions(options) {
  const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', inspectOptions, groupIndentation = 2 } = options ?? {};
  checkStream(stdout, 'stdout');
  checkStream(stderr, 'stderr');
  if (!arrayIncludes.call(['auto', true, false], colorMode))
    throw errors.invalidArgValue('colorMode', colorMode, "must be one of: 'auto', true, false");
  errors.validateInteger(groupIndentation, 'groupIndentation', 0, 1000);
  if (inspectOptions !== undefined) {
    errors.validateObject(inspectOptions, 'options.inspectOptions');
    if (inspectOptions.colors !== undefined && options.colorMode !== undefined)
      throw errors.coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR',
        'Option "options.inspectOptions.color" cannot be used in combination with option "colorMode"');
  }
  return {
    stdout, stderr, ignoreErrors, inspectOptions, step: stringRepeat.call(' ', groupIndentation), indent: '', counts: new Map(),
    times: new Map(), colors: (stream) => colorMode === 'auto' ? isColored(stream) : colorMode,
  };
}

function isColored(stream) {
  if (process.env.FORCE_COLOR !== undefined) return require('internal/tty/colors').getColorDepth() > 2;
  return Boolean(stream.isTTY) && (typeof stream.getColorDepth !== 'function' || stream.getColorDepth() > 2);
}

const ignore = () => {};

// An error of the stream is ignored, unless the program listens for it.
function writeLine(state, stream, args) {
  const { indent, ignoreErrors, inspectOptions } = state;
  let text = formatWithOptions({ colors: state.colors(stream), ...inspectOptions }, ...over(args));
  if (indent !== '') text = indent + regexpReplace(/\n/g, text, `\n${indent}`);
  if (!ignoreErrors) {
    stream.write(`${text}\n`);
    return;
  }
  if (stream.listenerCount?.('error') === 0) stream.once('error', ignore);
  try {
    stream.write(`${text}\n`, (error) => {
      if (error && stream.listenerCount?.('error') === 0) stream.once('error', ignore); // the error comes after this
    });
  } catch (error) {
    // The error is ignored, except a stack overflow, which leaves no room for anything else.
    if (error instanceof RangeError && stringStartsWith.call(`${error.message}`, 'Maximum call stack')) throw error;
  } finally {
    stream.removeListener?.('error', ignore);
  }
}

const out = (console, args) => writeLine(console[kState], console[kState].stdout, args);
const err = (console, args) => writeLine(console[kState], console[kState].stderr, args);

function printTime(console, label, method, data) {
  const { times } = console[kState];
  const since = times.get(label);
  if (since === undefined) process.emitWarning(`No such label '${label}' for console.${method}()`);
  else out(console, [`${label}: ${durationText(now() - since)}`, ...over(data)]);
}

const methods = {
  log(...args) { out(this, args); },
  warn(...args) { err(this, args); },
  error(...args) { err(this, args); },
  dir(value, options) {
    const { inspectOptions, stdout, colors } = this[kState];
    out(this, [inspect(value, { customInspect: false, colors: colors(stdout), ...inspectOptions, ...options })]);
  },
  time(label = 'default') {
    const { times } = this[kState];
    if (times.has(`${label}`)) process.emitWarning(`Label '${label}' already exists for console.time()`);
    else times.set(`${label}`, now());
  },
  timeEnd(label = 'default') {
    printTime(this, `${label}`, 'timeEnd', []);
    this[kState].times.delete(`${label}`);
  },
  timeLog(label = 'default', ...data) { printTime(this, `${label}`, 'timeLog', data); },
  trace(...args) {
    const message = args.length > 0 ? formatWithOptions({}, ...over(args)) : '';
    err(this, [require('internal/stack').trace({ name: 'Trace', message })]);
  },
  assert(condition, ...args) {
    if (condition) return;
    if (args.length > 0) args[0] = `Assertion failed: ${args[0]}`;
    Reflect.apply(this.warn, this, args.length > 0 ? args : ['Assertion failed']);
  },
  clear() {
    const { stdout } = this[kState];
    if (stdout.isTTY && process.env.TERM !== 'dumb') stdout.write('\x1b[1;1H\x1b[0J');
  },
  count(label = 'default') {
    const { counts } = this[kState];
    const number = 1 + (counts.get(`${label}`) ?? 0);
    counts.set(`${label}`, number);
    this.log(`${label}: ${number}`);
  },
  countReset(label = 'default') {
    if (!this[kState].counts.delete(`${label}`)) process.emitWarning(`Count for '${label}' does not exist`);
  },
  group(...title) {
    if (title.length > 0) Reflect.apply(this.log, this, title);
    this[kState].indent += this[kState].step;
  },
  groupEnd() {
    const state = this[kState];
    state.indent = stringSlice.call(state.indent, 0, state.indent.length - state.step.length);
  },
  table(data, columns) { this.log(require('internal/table').table(data, columns) ?? data); },
};
Object.assign(methods, {
  debug: methods.log, info: methods.log, dirxml: methods.log, groupCollapsed: methods.group,
});

function Console(options, stderr, ignoreErrors) {
  if (!new.target) return new Console(options, stderr, ignoreErrors);
  if (typeof options?.write === 'function') options = { stdout: options, stderr, ignoreErrors };
  Object.defineProperty(this, kState, { __proto__: null, value: readOptions(options) });
  // Methods work without their object, those of a subclass too.
  for (const name of over(Object.keys(methods))) {
    this[name] = functionBind.call(this[name], this);
    Object.defineProperty(this[name], 'name', { __proto__: null, value: name, configurable: true });
  }
}
Object.assign(Console.prototype, methods);
Object.defineProperty(Console, Symbol.hasInstance, { __proto__: null,
  value: (object) => object === global.console || object?.[kState] !== undefined,
});

Object.defineProperty(global.console, 'Console', { __proto__: null, value: Console, writable: true, configurable: true, enumerable: true });
module.exports = global.console;
