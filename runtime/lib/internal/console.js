'use strict';
// console. A line of plain strings needs neither a formatter nor a stream, so it goes
// straight to the descriptor; everything else loads what it needs.

const stdio = native('stdio');
const tools = require('internal/tools');

let indent = '';
const counts = new Map();
const times = new Map();

// Colours are for terminals, and for those who ask.
const colors = [];
function colored(fd) {
  const { env } = process;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0';
  if (env.NO_COLOR || env.NODE_DISABLE_COLORS || env.TERM === 'dumb') return false;
  return stdio.kind(fd) === 'tty';
}

function format(args, fd = 1) {
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  return require('internal/inspect').formatWithOptions({ colors: colors[fd] ??= colored(fd) }, ...args);
}

function line(name, fd, args) {
  let text = format(args, fd);
  if (indent !== '') text = indent + (text.includes('\n') ? text.replace(/\n/g, `\n${indent}`) : text);
  // Past the stream, unless the program has it and may have changed it.
  if (tools.streams?.[name] === undefined) stdio.write(fd, text, true);
  else tools.streams[name].write(`${text}\n`);
}

const out = (...args) => line('stdout', 1, args);
const err = (...args) => line('stderr', 2, args);

function elapsed(label, method) {
  const start = times.get(label);
  if (start === undefined) {
    process.emitWarning(`No such label '${label}' for console.${method}()`);
    return undefined;
  }
  const ms = (native('process').hrtime() - start) / 1e6;
  if (ms >= 1000) {
    const s = ms / 1000;
    if (s >= 60) {
      const minutes = s / 60;
      return `${Math.floor(minutes)}:${(s % 60).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
    }
    return `${s.toFixed(3)}s`;
  }
  return ms >= 0 ? `${Number(ms.toFixed(3))}ms` : '0ms';
}

const console = {
  log: out,
  warn: err,
  dir: (value, options) =>
    line('stdout', 1, [require('internal/inspect').inspect(value, { customInspect: false, ...options })]),
  time(label = 'default') {
    label = `${label}`;
    if (times.has(label)) process.emitWarning(`Label '${label}' already exists for console.time()`);
    else times.set(label, native('process').hrtime());
  },
  timeEnd(label = 'default') {
    label = `${label}`;
    const text = elapsed(label, 'timeEnd');
    if (text !== undefined) out(`${label}: ${text}`);
    times.delete(label);
  },
  timeLog(label = 'default', ...data) {
    const text = elapsed(`${label}`, 'timeLog');
    if (text !== undefined) out(`${label}: ${text}`, ...data);
  },
  trace(...args) {
    const error = { name: 'Trace', message: args.length > 0 ? format(args) : '' };
    err(require('internal/stack').trace(error));
  },
  assert(condition, ...args) {
    if (condition) return;
    args[0] = `Assertion failed${args.length === 0 ? '' : `: ${args[0]}`}`;
    err(...args);
  },
  clear() {},
  count(label = 'default') {
    label = `${label}`;
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    out(`${label}: ${count}`);
  },
  countReset(label = 'default') {
    label = `${label}`;
    if (!counts.delete(label)) process.emitWarning(`Count for '${label}' does not exist`);
  },
  group(...data) {
    if (data.length > 0) out(...data);
    indent += '  ';
  },
  groupEnd() {
    indent = indent.slice(0, -2);
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
for (const name of Object.keys(console))
  if (console[name] === out || console[name] === err) {
    const write = console[name];
    console[name] = { [name](...args) { write(...args); } }[name];
  }
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
Object.defineProperty(console, 'Console', {
  get: () => require('console').Console, enumerable: true, configurable: true,
});

module.exports = console;
