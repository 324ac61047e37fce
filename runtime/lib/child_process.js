'use strict';
// child_process: spawn and what is built on it.

const binding = native('spawn');
const { Buffer } = require('buffer');
const { ChildProcess, names, readStdio, signalOf } = require('internal/child/process');
const { errnoException } = require('internal/net/util');
const {
  abortedBy, coded, invalidArgType, invalidArgValue, notImplemented, outOfRange, validateAbortSignal,
  validateBoolean, validateFunction, validateInteger, validateString,
} = require('internal/errors');

const MAX_BUFFER = 1024 * 1024;

// --- arguments -------------------------------------------------------------------------------

function withoutNull(value, name) {
  if (typeof value === 'string' && value.includes('\u0000'))
    throw invalidArgValue(name, value, 'must be a string without null bytes');
}

const cwdOf = (cwd) => cwd !== null && typeof cwd === 'object' && cwd.href ? require('url').fileURLToPath(cwd) : cwd;

const oneOf = (...types) => (value, name) => {
  if (!types.includes(typeof value)) throw invalidArgType(name, `one of type ${types.join(' or ')}`, value);
};
const checkId = (value, name) => validateInteger(value, name, -(2 ** 31), 2 ** 31 - 1);

// What is looked at in the options, in this order; undefined and null are no options.
const CHECKS = {
  cwd(value, name) {
    if (typeof value !== 'string') throw invalidArgType(name, 'of type string or an instance of Buffer or URL', value);
    withoutNull(value, name);
  },
  detached: validateBoolean,
  uid: checkId,
  gid: checkId,
  shell: oneOf('boolean', 'string'),
  argv0: validateString,
};

// (args, options) or (options) alone: both as copies.
function readArguments(args, options) {
  if (Array.isArray(args)) return [[...args], options];
  if (args === undefined || args === null) return [[], options];
  if (typeof args === 'object') return [[], args];
  throw invalidArgType('args', 'of type object', args);
}

function pairsOf(env) {
  const pairs = Object.entries(env).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => {
    withoutNull(key, `options.env['${key}']`);
    return `${key}=${value}`;
  });
}

// What spawn(file, args, options) and its kin are given, as the native functions take it.
function normalize(file, args, options) {
  validateString(file, 'file');
  withoutNull(file, 'file');
  if (file === '') throw invalidArgValue('file', file, 'cannot be empty');
  const [list, given = {}] = readArguments(args, options);
  list.forEach((arg, index) => withoutNull(arg, `args[${index}]`));
  if (given === null || typeof given !== 'object') throw invalidArgType('options', 'of type object', given);
  const wanted = { ...given, cwd: cwdOf(given.cwd) ?? undefined };
  for (const [name, check] of Object.entries(CHECKS))
    if (wanted[name] !== undefined && wanted[name] !== null) check(wanted[name], `options.${name}`);
  const { argv0, detached, env, shell } = wanted;
  const program = shell ? (shell === true ? '/bin/sh' : shell) : file;
  const rest = shell ? ['-c', [file, ...list].join(' ')] : list;
  return {
    ...wanted,
    file: program,
    args: [argv0 ?? program, ...rest],
    detached: Boolean(detached),
    envPairs: pairsOf(env ?? process.env),
  };
}

function checkLimits({ timeout = null, maxBuffer = null }) {
  if (timeout !== null && !(Number.isInteger(timeout) && timeout >= 0))
    throw outOfRange('timeout', 'an unsigned integer', timeout);
  if (maxBuffer !== null && !(typeof maxBuffer === 'number' && maxBuffer >= 0))
    throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
}

// --- spawn -----------------------------------------------------------------------------------------

// Kills, and then does what follows if there was something to kill.
function killWith(child, signal, then) {
  try {
    if (child.kill(signal)) then?.();
  } catch (error) {
    child.emit('error', error);
  }
}

function abortWith(child, signal, killSignal) {
  const abort = () => killWith(child, killSignal, () => child.emit('error', abortedBy(signal)));
  if (signal.aborted) {
    process.nextTick(abort);
    return;
  }
  signal.addEventListener('abort', abort, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', abort));
}

function spawn(file, args, options) {
  const wanted = normalize(file, args, options);
  const { signal, timeout } = wanted;
  checkLimits({ timeout });
  validateAbortSignal(signal, 'options.signal');
  const killSignal = wanted.killSignal === undefined ? undefined : signalOf(wanted.killSignal);
  const child = new ChildProcess();
  child.spawn(wanted);
  if (timeout > 0) {
    const timer = setTimeout(() => killWith(child, killSignal), timeout);
    child.once('exit', () => clearTimeout(timer));
  }
  if (signal !== undefined) abortWith(child, signal, killSignal);
  return child;
}

// --- execFile and exec ---------------------------------------------------------------------------------

function failure(command, code, signal, killed) {
  const error = new Error(`Command failed: ${command}\n`);
  error.code = code < 0 ? native('process').errorName(code) : code;
  error.killed = killed;
  error.signal = signal;
  error.cmd = command;
  return error;
}

// Collects one output stream up to a limit.
function collect(stream, encoding, limit, name, exceeded) {
  const chunks = [];
  let length = 0;
  if (stream === null) return () => encoding ? '' : Buffer.alloc(0);
  if (encoding) stream.setEncoding(encoding);
  stream.on('data', (chunk) => {
    const size = encoding ? Buffer.byteLength(chunk, encoding) : chunk.length;
    length += size;
    if (length > limit) {
      const room = limit - (length - size);
      chunks.push(encoding ? chunk.slice(0, room) : chunk.subarray(0, room));
      exceeded(coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`));
    } else {
      chunks.push(chunk);
    }
  });
  return () => encoding ? chunks.join('') : Buffer.concat(chunks);
}

// execFile(file[, args][, options][, callback])
function readExecArguments(args, options, callback) {
  if (typeof args === 'function') return [[], {}, args];
  if (args !== null && typeof args === 'object' && !Array.isArray(args)) [args, options, callback] = [[], args, options];
  return typeof options === 'function' ? [args, {}, options] : [args, options, callback];
}

const EXEC_DEFAULTS = {
  cwd: null, env: null, shell: false, timeout: 0, killSignal: 'SIGTERM', encoding: 'utf8', maxBuffer: MAX_BUFFER,
};
const PASSED_ON = ['cwd', 'env', 'gid', 'uid', 'shell', 'signal', 'killSignal'];
const textEncoding = (name) => name && name !== 'buffer' && Buffer.isEncoding(name) ? name : null;

function execFile(file, args, given, callback) {
  [args, given, callback] = readExecArguments(args, given, callback);
  if (callback !== undefined && callback !== null) validateFunction(callback, 'callback');
  const options = { ...EXEC_DEFAULTS, ...given };
  checkLimits(options);
  options.killSignal = signalOf(options.killSignal ?? undefined);
  const child = spawn(file, args, Object.fromEntries(PASSED_ON.map((name) => [name, options[name]])));
  const command = args?.length > 0 ? `${file} ${args.join(' ')}` : file;
  const run = new Run(child, command, options.killSignal, callback);
  run.collect(textEncoding(options.encoding), options.maxBuffer);
  if (options.timeout > 0) run.limit(options.timeout);
  return child;
}

// One execFile under way: gathers what the child writes and calls back once, when it is
// closed or has failed.
class Run {
  #child;
  #command;
  #killSignal;
  #callback;
  #problem = null;
  #killed = false;
  #outputs = [];
  #timer;

  constructor(child, command, killSignal, callback) {
    this.#child = child;
    this.#command = command;
    this.#killSignal = killSignal;
    this.#callback = callback;
  }

  collect(encoding, limit) {
    const exceeded = (error) => {
      this.#problem = error;
      this.#kill();
    };
    this.#outputs = ['stdout', 'stderr'].map((name) => collect(this.#child[name], encoding, limit, name, exceeded));
    this.#child.on('close', (code, signal) => this.#finish(code, signal));
    this.#child.on('error', (error) => {
      this.#problem = error;
      this.#dropOutputs();
      this.#finish();
    });
  }

  limit(ms) {
    this.#timer = setTimeout(() => this.#kill(), ms);
  }

  #dropOutputs() {
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }

  #kill() {
    this.#dropOutputs();
    this.#killed = true;
    try {
      this.#child.kill(this.#killSignal);
    } catch (error) {
      this.#problem ??= error;
      this.#finish();
    }
  }

  #finish(code, signal) {
    const callback = this.#callback;
    this.#callback = null;
    clearTimeout(this.#timer);
    if (!callback) return;
    const [out, err] = this.#outputs.map((text) => text());
    if (this.#problem === null && (code !== 0 || signal !== null)) {
      this.#problem = failure(this.#command, code, signal, this.#child.killed || this.#killed);
      this.#problem.message += err;
    }
    if (this.#problem !== null) this.#problem.cmd ??= this.#command;
    callback(this.#problem, out, err);
  }
}

function exec(command, options, callback) {
  if (typeof options === 'function') [options, callback] = [undefined, options];
  return execFile(command, { ...options, shell: typeof options?.shell === 'string' ? options.shell : true }, callback);
}

const custom = Symbol.for('nodejs.util.promisify.custom');
for (const call of [exec, execFile])
  Object.defineProperty(call, custom, {
    enumerable: false,
    value(...args) {
      let child;
      const promise = new Promise((resolve, reject) => {
        child = call(...args, (error, stdout, stderr) => {
          if (error) reject(Object.assign(error, { stdout, stderr }));
          else resolve({ stdout, stderr });
        });
      });
      promise.child = child;
      return promise;
    },
  });

// --- waiting for the end --------------------------------------------------------------------------------

function bytesOf(input, encoding) {
  if (typeof input === 'string') return Buffer.from(input, encoding && encoding !== 'buffer' ? encoding : 'utf8');
  if (ArrayBuffer.isView(input)) return Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  throw invalidArgType('options.stdio[0]', 'of type string or an instance of Buffer, TypedArray, or DataView', input);
}

const syncFailure = (errno, { file, args }) =>
  Object.assign(errnoException(errno, `spawnSync ${file}`), { path: file, spawnargs: args.slice(1) });

function runSync(options) {
  checkLimits(options);
  const killSignal = signalOf(options.killSignal ?? undefined);
  const stdio = readStdio(options.stdio ?? 'pipe').map((item, index) => {
    if (item.type === 'ignore') return null;
    if (item.type === 'fd') return { fd: item.fd };
    if (index > 0) return {};
    return { readable: true, input: options.input == null ? undefined : bytesOf(options.input, options.encoding) };
  });
  const limit = options.maxBuffer === Infinity ? -1 : options.maxBuffer;
  const raw = binding.spawnSync(options, stdio, options.timeout ?? 0, limit, killSignal);
  const decode = options.encoding && options.encoding !== 'buffer';
  const output = raw.output.map((bytes) => {
    if (bytes === null) return null;
    const buffer = Buffer.from(bytes.buffer, 0, bytes.length);
    return decode ? buffer.toString(options.encoding) : buffer;
  });
  const failed = raw.error < 0 && raw.pid === 0;
  const result = {
    ...(raw.error < 0 ? { error: syncFailure(raw.error, options) } : {}),
    status: raw.status,
    signal: raw.signal === null ? null : names.get(raw.signal),
    output: failed ? null : output,
    pid: raw.pid,
    stdout: failed ? null : output[1],
    stderr: failed ? null : output[2],
  };
  return result;
}

function spawnSync(file, args, options) {
  return runSync({ maxBuffer: MAX_BUFFER, ...normalize(file, args, options) });
}

// The output of a child that must succeed; what it says of errors goes to ours.
function checked(result, options, command, args) {
  if (options.stdio === undefined && result.stderr) process.stderr.write(result.stderr);
  let { error } = result;
  if (!error && result.status !== 0) {
    let message = `Command failed: ${command ?? args.join(' ')}`;
    if (result.stderr && result.stderr.length > 0) message += `\n${result.stderr.toString()}`;
    error = new Error(message);
  }
  if (!error) return result.stdout;
  throw Object.assign(error, { status: result.status, signal: result.signal, output: result.output, pid: result.pid,
    stdout: result.stdout, stderr: result.stderr });
}

function execFileSync(file, args, options) {
  const given = { maxBuffer: MAX_BUFFER, ...normalize(file, args, options) };
  return checked(runSync(given), given, undefined, given.args);
}

function execSync(command, options) {
  const shell = typeof options?.shell === 'string' ? options.shell : true;
  const given = { maxBuffer: MAX_BUFFER, ...normalize(command, [], { ...options, shell }) };
  return checked(runSync(given), given, command);
}

module.exports = {
  ChildProcess,
  exec,
  execFile,
  execFileSync,
  execSync,
  fork() { throw notImplemented('child_process.fork'); },
  spawn,
  spawnSync,
};
