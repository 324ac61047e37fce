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

// What spawn(file, args, options) and its kin are given, as the native functions take it.
function normalize(file, args, options) {
  validateString(file, 'file');
  withoutNull(file, 'file');
  if (file.length === 0) throw invalidArgValue('file', file, 'cannot be empty');
  if (Array.isArray(args)) {
    args = [...args];
  } else if (args === undefined || args === null) {
    args = [];
  } else if (typeof args !== 'object') {
    throw invalidArgType('args', 'of type object', args);
  } else {
    options = args;
    args = [];
  }
  args.forEach((arg, index) => withoutNull(arg, `args[${index}]`));
  if (options === undefined) options = {};
  else if (options === null || typeof options !== 'object') throw invalidArgType('options', 'of type object', options);
  options = { ...options };
  const cwd = cwdOf(options.cwd);
  if (cwd != null) {
    if (typeof cwd !== 'string')
      throw invalidArgType('options.cwd', 'of type string or an instance of Buffer or URL', cwd);
    withoutNull(cwd, 'options.cwd');
  }
  if (options.detached != null) validateBoolean(options.detached, 'options.detached');
  for (const name of ['uid', 'gid'])
    if (options[name] != null) validateInteger(options[name], `options.${name}`, -2147483648, 2147483647);
  if (options.shell != null && typeof options.shell !== 'boolean' && typeof options.shell !== 'string')
    throw invalidArgType('options.shell', 'one of type boolean or string', options.shell);
  if (options.argv0 != null) validateString(options.argv0, 'options.argv0');
  if (options.shell) {
    const command = [file, ...args].join(' ');
    file = typeof options.shell === 'string' ? options.shell : '/bin/sh';
    args = ['-c', command];
  }
  args.unshift(typeof options.argv0 === 'string' ? options.argv0 : file);
  const env = options.env ?? process.env;
  const envPairs = [];
  for (const key of Object.keys(env))
    if (env[key] !== undefined) {
      withoutNull(key, `options.env['${key}']`);
      envPairs.push(`${key}=${env[key]}`);
    }
  return { ...options, file, args, cwd: cwd ?? undefined, detached: Boolean(options.detached), envPairs };
}

function validateTimeout(timeout) {
  if (timeout != null && !(Number.isInteger(timeout) && timeout >= 0))
    throw outOfRange('timeout', 'an unsigned integer', timeout);
}

function validateMaxBuffer(size) {
  if (size != null && !(typeof size === 'number' && size >= 0))
    throw outOfRange('options.maxBuffer', 'a positive number', size);
}

// --- spawn -----------------------------------------------------------------------------------------

function abortChild(child, killSignal, signal) {
  try {
    if (child.kill(killSignal)) child.emit('error', abortedBy(signal));
  } catch (error) {
    child.emit('error', error);
  }
}

function addSignal(child, { signal, killSignal }) {
  validateAbortSignal(signal, 'options.signal');
  const abort = () => abortChild(child, killSignal, signal);
  if (signal.aborted) {
    process.nextTick(abort);
    return;
  }
  signal.addEventListener('abort', abort, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', abort));
}

function spawn(file, args, options) {
  const normalized = normalize(file, args, options);
  validateTimeout(normalized.timeout);
  if (normalized.signal !== undefined) validateAbortSignal(normalized.signal, 'options.signal');
  const killSignal = normalized.killSignal === undefined ? undefined : signalOf(normalized.killSignal);
  const child = new ChildProcess();
  child.spawn(normalized);
  if (normalized.timeout > 0) {
    const timer = setTimeout(() => {
      try {
        child.kill(killSignal);
      } catch (error) {
        child.emit('error', error);
      }
    }, normalized.timeout);
    child.once('exit', () => clearTimeout(timer));
  }
  if (normalized.signal !== undefined) addSignal(child, { signal: normalized.signal, killSignal });
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

function execFile(file, args, options, callback) {
  if (typeof args === 'function') [args, options, callback] = [[], {}, args];
  else if (!Array.isArray(args) && args !== null && typeof args === 'object')
    [args, options, callback] = [[], args, options];
  if (typeof options === 'function') [options, callback] = [{}, options];
  if (callback !== undefined && callback !== null) validateFunction(callback, 'callback');
  options = { encoding: 'utf8', timeout: 0, maxBuffer: MAX_BUFFER, killSignal: 'SIGTERM', cwd: null, env: null,
    shell: false, ...options };
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
  options.killSignal = signalOf(options.killSignal ?? undefined);
  const child = spawn(file, args, {
    cwd: options.cwd, env: options.env, gid: options.gid, uid: options.uid, shell: options.shell,
    signal: options.signal, killSignal: options.killSignal,
  });
  const encoding = options.encoding && options.encoding !== 'buffer' && Buffer.isEncoding(options.encoding) ?
    options.encoding : null;
  let killed = false;
  let done = false;
  let problem = null;
  let timer;

  const kill = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    killed = true;
    try {
      child.kill(options.killSignal);
    } catch (error) {
      problem ??= error;
      finish();
    }
  };
  const exceeded = (error) => {
    problem = error;
    kill();
  };
  const stdout = collect(child.stdout, encoding, options.maxBuffer, 'stdout', exceeded);
  const stderr = collect(child.stderr, encoding, options.maxBuffer, 'stderr', exceeded);

  function finish(code, signal) {
    if (done) return;
    done = true;
    clearTimeout(timer);
    if (!callback) return;
    const out = stdout();
    const err = stderr();
    if (!problem && code === 0 && signal === null) {
      callback(null, out, err);
      return;
    }
    const command = child.spawnargs.length > 0 && args.length > 0 ? `${file} ${args.join(' ')}` : file;
    if (!problem) {
      problem = failure(command, code, signal, child.killed || killed);
      problem.message += err;
    }
    problem.cmd ??= command;
    callback(problem, out, err);
  }

  child.on('close', finish);
  child.on('error', (error) => {
    problem = error;
    child.stdout?.destroy();
    child.stderr?.destroy();
    finish();
  });
  if (options.timeout > 0) timer = setTimeout(kill, options.timeout);
  return child;
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

function runSync(options) {
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
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
    ...(raw.error < 0 ? { error: errnoException(raw.error, `spawnSync ${options.file}`) } : {}),
    status: raw.status,
    signal: raw.signal === null ? null : names.get(raw.signal),
    output: failed ? null : output,
    pid: raw.pid,
    stdout: failed ? null : output[1],
    stderr: failed ? null : output[2],
  };
  if (result.error) {
    result.error.path = options.file;
    result.error.spawnargs = options.args.slice(1);
  }
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
