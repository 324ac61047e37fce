'use strict';
// console. A line of plain strings needs neither a formatter nor a stream, so it is written
// straight to the descriptor; everything else loads the modules it needs.

const { arraySlice, over, regexpReplace, stringIncludes, stringSlice } = intrinsics;
const stdio = native('stdio');
const tools = require('internal/tools');

let indent = '';
const counts = new Map();
const times = new Map();

// The stream that the program has set as console._stdout or _stderr, or has got from process;
// undefined if neither.
const replaced = { __proto__: null, stdout: undefined, stderr: undefined };
const streamOf = (name) => replaced[name] ?? tools.streams?.[name];

// Colours are for terminals, or if the environment asks for them; it may change, so each line
// checks it again.
const { envGet } = native('process');
function colored(fd) {
  const stream = streamOf(fd === 1 ? 'stdout' : 'stderr');
  if (envGet('FORCE_COLOR') !== undefined) return require('internal/tty/colors').getColorDepth() > 2;
  if (stream === undefined ? !isTerminal(fd) : !stream.isTTY) return false;
  return (stream?.getColorDepth ?? require('internal/tty/colors').getColorDepth)() > 2;
}

const terminals = [];
const isTerminal = (fd) => terminals[fd] ??= stdio.kind(fd) === 'tty';

function format(args, fd = 1) {
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  return require('internal/inspect').formatWithOptions({ colors: colored(fd) }, ...over(args));
}

function line(name, fd, args) {
  let text = format(args, fd);
  if (indent !== '') text = indent + (stringIncludes.call(text, '\n') ? regexpReplace(/\n/g, text, `\n${indent}`) : text);
  // Writes directly, unless the program has the stream and may have changed it.
  if (streamOf(name) === undefined) stdio.write(fd, text, true);
  else write(name, fd, `${text}\n`);
}

function write(name, fd, text) {
  const stream = streamOf(name);
  if (stream === undefined) stdio.write(fd, text);
  else stream.write(text);
}

const out = (...args) => line('stdout', 1, args);
const err = (...args) => line('stderr', 2, args);

const now = () => native('process').hrtime();
const warn = (text) => process.emitWarning(text);

function printTime(label, method, data) {
  const since = times.get(label);
  if (since === undefined) warn(`No such label '${label}' for console.${method}()`);
  else out(`${label}: ${require('internal/duration').durationText((now() - since) / 1e6)}`, ...over(data));
}

// Methods with a label: always a text, "default" if omitted.
const labelled = {
  time(label) {
    if (times.has(label)) warn(`Label '${label}' already exists for console.time()`);
    else times.set(label, now());
  },
  timeEnd(label) {
    printTime(label, 'timeEnd', []);
    times.delete(label);
  },
  timeLog: (label, ...data) => printTime(label, 'timeLog', data),
  count(label) {
    const number = 1 + (counts.get(label) ?? 0);
    counts.set(label, number);
    out(`${label}: ${number}`);
  },
  countReset(label) {
    if (!counts.delete(label)) warn(`Count for '${label}' does not exist`);
  },
};
for (const { 0: name, 1: act } of over(Object.entries(labelled)))
  labelled[name] = { [name](label = 'default', ...data) { act(`${label}`, ...over(data)); } }[name];
const { time, timeEnd, timeLog, count, countReset } = labelled;

const console = {
  log: out,
  warn: err,
  dir: (value, options) =>
    line('stdout', 1, [require('internal/inspect').inspect(value, { customInspect: false, ...options })]),
  time,
  timeEnd,
  timeLog,
  trace(...args) {
    const error = { name: 'Trace', message: args.length > 0 ? format(args) : '' };
    err(require('internal/stack').trace(error));
  },
  assert(condition, ...args) {
    if (condition) return;
    if (args.length === 0) err('Assertion failed');
    else err(`Assertion failed: ${args[0]}`, ...over(arraySlice.call(args, 1)));
  },
  // Only a terminal can be cleared.
  clear() {
    const stream = streamOf('stdout');
    const isTTY = stream === undefined ? isTerminal(1) : stream.isTTY;
    if (isTTY && process.env.TERM !== 'dumb') write('stdout', 1, '\x1b[1;1H\x1b[0J');
  },
  count,
  countReset,
  group(...title) {
    if (title.length !== 0) Reflect.apply(out, undefined, title);
    indent += '  ';
  },
  groupEnd() {
    indent = stringSlice.call(indent, 0, -2);
  },
  table: (data, columns) => out(require('internal/table').table(data, columns) ?? data),
  debug: out,
  info: out,
  dirxml: out,
  error: err,
  profile() {},
  profileEnd() {},
  timeStamp() {},
};
console.groupCollapsed = console.group;

// Names as Node shows them (console.log.name is "log").
for (const name of over(Object.keys(console)))
  if (console[name] === out || console[name] === err) {
    const write = console[name];
    console[name] = { [name](...args) { Reflect.apply(write, undefined, args); } }[name];
  }
Object.defineProperty(console, '_times', { __proto__: null, value: times, writable: true, enumerable: false, configurable: true });
Object.defineProperty(console, Symbol.toStringTag, { __proto__: null, value: 'console', configurable: true });
Object.defineProperty(console, 'Console', { __proto__: null,
  get: () => require('console').Console, enumerable: true, configurable: true,
});

for (const name of over(['stdout', 'stderr']))
  Object.defineProperty(console, `_${name}`, {
    __proto__: null, configurable: true, enumerable: false, get: () => replaced[name] ?? process[name],
    set: (stream) => { replaced[name] = stream; },
  });

module.exports = console;
