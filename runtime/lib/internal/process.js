'use strict';
// The process object.

const {
  ArrayIsArray, GenuineObject, NumberIsInteger, arrayForEach, arrayIncludes, arrayMap, arraySlice, errorToString, over, regexpTest, stringStartsWith,
} = intrinsics;
const EventEmitter = require('events');
const binding = native('process');
const tools = require('internal/tools');

// process is an object of class "process" that is an EventEmitter.
function Process() {}
Object.defineProperty(Process, 'name', { __proto__: null, value: 'process' });
Process.prototype = Object.create(EventEmitter.prototype, {
  constructor: { __proto__: null, value: Process, writable: true, configurable: true },
});
Object.defineProperty(Process.prototype, Symbol.toStringTag, { __proto__: null, value: 'process', configurable: true });
Object.setPrototypeOf(process, Process.prototype);
Reflect.apply(EventEmitter, process, []);

// console writes directly until the program has asked for the stream.
const streams = tools.streams = { __proto__: null, stdin: undefined, stdout: undefined, stderr: undefined };

const { startTime } = binding;
const script = tools.options.file;

process.cwd = () => binding.cwd();
process.version = 'v20.20.2';
process.versions = { node: '20.20.2', rondo: binding.version, uv: '1.52.0', modules: '115' };
// Programs look here to find out whether there is crypto.
if (binding.openssl !== undefined) process.versions.openssl = binding.openssl;
process.release = { name: 'node', lts: 'Iron' };
process.arch = 'x64';
process.platform = 'linux';
process.pid = binding.pid;
process.execPath = binding.execPath;
process.argv0 = binding.argv0;
process.execArgv = arraySlice.call(tools.options.switches);
process.argv = script === undefined || script === '-' ?
  [binding.execPath, ...(over(script === '-' ? ['-'] : [])), ...over(binding.args)] :
  [binding.execPath, resolved(script), ...over(binding.args)];
// A relative path needs a working directory, which may not exist any more.
function resolved(file) {
  try {
    return require('path').resolve(file);
  } catch {
    return file;
  }
}
process.config = Object.freeze({ target_defaults: Object.freeze({}), variables: Object.freeze({}) });
process.features = {
  inspector: false, debug: false, uv: true, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: true,
  tls: true, cached_builtins: true, require_module: true,
};
process._exiting = false;
process.nextTick = tools.nextTick;
Object.defineProperty(process, 'ppid', { __proto__: null, enumerable: true, configurable: true, get: () => binding.ppid });
Object.defineProperty(process, 'title', { __proto__: null,
  enumerable: true, configurable: true,
  get: () => binding.title(), set: (value) => binding.title(`${value}`),
});
Object.defineProperty(process, 'debugPort', { __proto__: null, enumerable: true, configurable: true, writable: true, value: 9229 });

// --- environment: reads and writes go to the real one ---------------------------------------

function checkDescriptor(descriptor) {
  const { coded } = require('internal/errors');
  const refuse = (what) => coded(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY', `'process.env' ${what}`);
  if ('get' in descriptor || 'set' in descriptor)
    throw refuse('does not accept an accessor(getter/setter) descriptor');
  if (!('value' in descriptor && descriptor.configurable && descriptor.writable && descriptor.enumerable))
    throw refuse('only accepts a configurable, writable, and enumerable data descriptor');
}

function setVariable(key, value) {
  if (typeof key === 'symbol' || typeof value === 'symbol')
    throw new TypeError('Cannot convert a Symbol value to a string');
  binding.envSet(key, `${value}`);
  if (key === 'TZ') changeZone();
  return true;
}

let isZoneOurs = false;
function changeZone() {
  if (isZoneOurs) return;
  isZoneOurs = true;
  require('internal/zone').install();
}

// A name that isn't in the environment is looked up in the prototype, as with any object. As with
// V8's templates, that is a prototype of its own, whose constructor has no name.
const envPrototype = Object.create(GenuineObject.prototype, {
  constructor: { __proto__: null, value: (() => function () {})(), writable: true, enumerable: false, configurable: true },
});
process.env = new Proxy(Object.create(envPrototype), {
  __proto__: null,
  get: (target, key) => (typeof key === 'string' ? binding.envGet(key) : undefined) ?? target[key],
  set: (target, key, value) => setVariable(key, value),
  has: (target, key) => (typeof key === 'string' && binding.envGet(key) !== undefined) || key in target,
  deleteProperty(target, key) {
    if (typeof key === 'string') binding.envDelete(key);
    if (key === 'TZ') changeZone();
    return true;
  },
  ownKeys: () => binding.envKeys(),
  getOwnPropertyDescriptor(target, key) {
    const value = typeof key === 'string' ? binding.envGet(key) : undefined;
    if (value !== undefined) return { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  },
  defineProperty(target, key, descriptor) {
    checkDescriptor(descriptor);
    return setVariable(key, descriptor.value);
  },
});

// --- leaving ---------------------------------------------------------------------------------

let exitCode;
Object.defineProperty(process, 'exitCode', { __proto__: null,
  enumerable: true,
  configurable: false,
  get: () => exitCode,
  set(code) {
    if (code !== undefined && code !== null) {
      let value = code;
      if (typeof code === 'string' && code !== '' && NumberIsInteger(+code)) value = +code;
      const errors = require('internal/errors');
      if (typeof value !== 'number') throw errors.invalidArgType('code', 'of type number', code);
      errors.validateInteger(value, 'code');
    }
    exitCode = code;
  },
});

process.exit = function exit(code) {
  if (arguments.length !== 0) process.exitCode = code;
  tools.hasCalledExit = true;
  // A program that has replaced reallyExit expects it to be called.
  if (process.reallyExit !== reallyExit) {
    if (!process._exiting) {
      process._exiting = true;
      process.emit('exit', exitCode || 0);
    }
    process.reallyExit(exitCode || 0);
    return;
  }
  binding.exit(exitCode || 0);
};
const reallyExit = (code) => binding.leave(code);
process.reallyExit = reallyExit;
process.abort = () => binding.abort();

process._kill = (pid, signal) => binding.kill(pid, signal);
process.kill = function kill(pid, signal) {
  const errors = require('internal/errors');
  if (pid != (pid | 0)) throw errors.invalidArgType('pid', 'of type number', pid);
  let number = signal;
  if (signal !== (signal | 0)) {
    number = native('signals').numbers[signal || 'SIGTERM'];
    if (number === undefined) throw errors.unknownSignal(signal);
  }
  const err = process._kill(pid | 0, number);
  if (err) {
    const error = binding.uvError(err, 'kill');
    error.message = `kill ${error.code}`;
    throw error;
  }
  return true;
};

// --- time and resources -----------------------------------------------------------------------

process.hrtime = function hrtime(previous) {
  binding.hrtimeParts();
  const { 0: seconds, 1: nanoseconds } = binding.hrtimeCell;
  if (previous === undefined) return [seconds, nanoseconds];
  if (!ArrayIsArray(previous)) throw require('internal/errors').invalidArgType('time', 'an instance of Array', previous);
  if (previous.length !== 2) throw require('internal/errors').outOfRange('time', '2', previous.length);
  const difference = [seconds - previous[0], nanoseconds - previous[1]];
  if (difference[1] < 0) {
    difference[0]--;
    difference[1] += 1e9;
  }
  return difference;
};
process.hrtime.bigint = function bigint() {
  binding.hrtimeParts();
  return BigInt(binding.hrtimeCell[0]) * 1000000000n + BigInt(binding.hrtimeCell[1]);
};
process.uptime = () => (binding.hrtime() - startTime) / 1e9;
process.chdir = function chdir(directory) {
  require('internal/errors').validateString(directory, 'directory');
  binding.chdir(directory);
};
process.umask = function umask(mask) {
  if (mask === undefined) return binding.umask();
  const number = typeof mask === 'string' && regexpTest(/^[0-7]+$/, mask) ? parseInt(mask, 8) : mask;
  const errors = require('internal/errors');
  if (typeof number === 'string')
    throw errors.invalidArgValue('mask', mask, 'must be a 32-bit unsigned integer or an octal string');
  errors.validateInteger(number ?? undefined, 'mask', 0, 2 ** 32 - 1);
  return binding.umask(number);
};
process.memoryUsage = function memoryUsage() {
  const rss = binding.memory();
  const { heapTotal, heapUsed } = native('util').heap();
  return { rss, heapTotal, heapUsed, external: 0, arrayBuffers: 0 };
};
process.memoryUsage.rss = () => binding.memory();
process.cpuUsage = function cpuUsage(previous) {
  const { 0: user, 1: system } = binding.cpu();
  if (previous) {
    const errors = require('internal/errors');
    errors.validateObject(previous, 'prevValue');
    for (const name of over(['user', 'system'])) {
      const value = previous[name];
      errors.validateNumber(value, `prevValue.${name}`);
      if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) continue;
      throw errors.coded(RangeError, 'ERR_INVALID_ARG_VALUE',
        `The property 'prevValue.${name}' is invalid. Received ${value}`);
    }
  }
  return previous ? { user: user - previous.user, system: system - previous.system } : { user, system };
};
const USAGE = ['userCPUTime', 'systemCPUTime', 'maxRSS', 'sharedMemorySize', 'unsharedDataSize', 'unsharedStackSize',
  'minorPageFault', 'majorPageFault', 'swappedOut', 'fsRead', 'fsWrite', 'ipcSent', 'ipcReceived', 'signalsCount',
  'voluntaryContextSwitches', 'involuntaryContextSwitches'];
process.resourceUsage = function resourceUsage() {
  const numbers = binding.cpu();
  return Object.fromEntries(over(arrayMap.call(USAGE, (name, index) => [name, numbers[index]])));
};
process.getgroups = () => binding.groups();
arrayForEach.call(['getuid', 'geteuid', 'getgid', 'getegid'], (name, index) => {
  process[name] = () => binding.ids()[index];
});

for (const name of over(['setegid', 'seteuid', 'setgid', 'setgroups', 'setuid']))
  process[name] = { [name](id) { require('internal/credentials')[name](id); } }[name];
process.initgroups = function initgroups(user, extraGroup) {
  require('internal/credentials').initgroups(user, extraGroup);
};

// --- warnings ------------------------------------------------------------------------------------

const SWITCHES = {
  __proto__: null, '--no-deprecation': 'noDeprecation', '--throw-deprecation': 'throwDeprecation',
  '--trace-deprecation': 'traceDeprecation', '--trace-warnings': 'traceProcessWarnings',
};
const given = binding.envGet('NODE_OPTIONS') === undefined ? process.execArgv : require('internal/switches').all();
if (given.length > 0) for (const name in SWITCHES) if (arrayIncludes.call(given, name)) process[SWITCHES[name]] = true;

// (warning[, options]) or (warning[, type[, code]][, ctor])
process.emitWarning = function emitWarning(warning, type, code, ctor) {
  const errors = require('internal/errors');
  let detail;
  if (type !== null && typeof type === 'object' && !ArrayIsArray(type)) {
    ({ ctor, code, detail } = type);
    if (typeof detail !== 'string') detail = undefined;
    type = type.type || 'Warning';
  } else if (typeof type === 'function') {
    ({ 0: type, 1: code } = ['Warning', '']);
  }
  if (type !== undefined) errors.validateString(type, 'type');
  if (typeof code === 'function') code = undefined;
  else if (code !== undefined) errors.validateString(code, 'code');
  if (typeof warning === 'string') {
    warning = new Error(warning);
    warning.name = String(type || 'Warning');
    if (code) warning.code = code;
    if (detail) warning.detail = detail;
  } else if (!(warning instanceof Error)) {
    throw errors.invalidArgType('warning', 'of type string or an instance of Error', warning);
  }
  if (warning.name === 'DeprecationWarning') {
    if (process.noDeprecation) return;
    if (process.throwDeprecation) {
      tools.nextTick(() => { throw warning; });
      return;
    }
  }
  tools.nextTick(() => process.emit('warning', warning));
};

// Printed with the first warning that doesn't show its origin.
let isHintGiven = false;
function traceHint({ name }) {
  if (isHintGiven) return '';
  isHintGiven = true;
  const option = name === 'DeprecationWarning' ? '--trace-deprecation' : '--trace-warnings';
  const program = require('path').basename(process.argv0 || 'rondo', '.exe');
  return `\n(Use \`${program} ${option} ...\` to show where the warning was created)`;
}

// A warning is printed with console.error, which a program may have replaced.
function printWarning(warning) {
  if (!(warning instanceof Error)) return;
  if (warning.name === 'DeprecationWarning' && process.noDeprecation) return;
  const code = warning.code ? `[${warning.code}] ` : '';
  const isTraced = process.traceProcessWarnings || (warning.name === 'DeprecationWarning' && process.traceDeprecation);
  const said = isTraced && warning.stack ? warning.stack :
    typeof warning.toString === 'function' ? warning.toString() : errorToString.call(warning);
  const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
  const hint = isTraced ? '' : traceHint(warning);
  require('internal/console').error(`(rondo:${process.pid}) ${code}${said}${detail}${hint}`);
}
if (binding.envGet('NODE_NO_WARNINGS') !== '1' && !arrayIncludes.call(given, '--no-warnings')) process.on('warning', printWarning);

// --- signals: a listener starts the watcher, the last one gone stops it ---------------------------

let names;
function signalNumber(event) {
  return typeof event === 'string' && stringStartsWith.call(event, 'SIG') ? native('signals').numbers[event] : undefined;
}

process.on('newListener', (event) => {
  if (event === 'multipleResolves' && process.listenerCount(event) === 0) require('internal/multiple_resolves').install();
  const number = signalNumber(event);
  if (number === undefined || process.listenerCount(event) > 0) return;
  const signals = native('signals');
  if (names === undefined) {
    names = Object.create(null);
    for (const name of over(Object.keys(signals.numbers))) names[signals.numbers[name]] ??= name;
    names[6] = 'SIGABRT';
    signals.setCallback((which) => process.emit(names[which], names[which], which));
  }
  const err = signals.start(number);
  if (err !== 0) {
    const error = binding.uvError(err, 'uv_signal_start');
    error.message = `uv_signal_start ${error.code}`;
    throw error;
  }
});
process.on('removeListener', (event) => {
  const number = signalNumber(event);
  if (number !== undefined && process.listenerCount(event) === 0) native('signals').stop(number);
});

// --- standard streams: made at first use -----------------------------------------------------------

arrayForEach.call(['stdin', 'stdout', 'stderr'], (name, fd) => {
  Object.defineProperty(process, name, { __proto__: null,
    enumerable: true,
    configurable: true,
    get: () => streams[name] ??= require('internal/stdio').open(fd),
    set: (value) => streams[name] = value,
  });
});

process.getBuiltinModule = (name) => {
  require('internal/errors').validateString(name, 'id');
  const { Module } = require('internal/loader');
  return Module.isBuiltin(name) ? Module._load(name) : undefined;
};
let isAssertReported = false;
process.assert = (condition, message = 'assertion error') => {
  if (!isAssertReported) {
    isAssertReported = true;
    process.emitWarning('process.assert() is deprecated. Please use the `assert` module instead.', 'DeprecationWarning', 'DEP0100');
  }
  if (!condition) throw require('internal/errors').coded(Error, 'ERR_ASSERTION', message);
};
process.openStdin = () => {
  process.stdin.resume();
  return process.stdin;
};
process.loadEnvFile = (path) => require('internal/env_file').loadEnvFile(path);
process._rawDebug = (...args) => native('stdio').write(2, `${require('util').format(...over(args))}\n`);
Object.defineProperty(process, Symbol.toStringTag, { __proto__: null, value: 'process', configurable: true });
process.constrainedMemory = () => native('os').memory()[2];
process.availableMemory = () => native('os').memory()[0];

process.binding = (name) => {
  throw require('internal/errors').notImplemented(`process.binding('${name}')`);
};
