'use strict';
// child_process: spawn and the functions built on it.

const { ArrayBufferIsView, SymbolFor, arrayConcat, arrayJoin, arrayPush, arraySlice, over, stringSlice } = intrinsics;
const binding = native('spawn');
const { Buffer } = require('buffer');
const { ChildProcess } = require('internal/child/process');
const {
  MAX_BUFFER, checkMaxBuffer, checkTimeout, killSignalOf, readExec, readExecFile, readSpawn, splitArguments,
} = require('internal/child/arguments');
const { readStdio } = require('internal/child/stdio');
const { clearTimeout, setTimeout } = require('timers');
const { names } = require('internal/child/signals');
const { errnoException } = require('internal/net/util');
const { abortedBy, coded, invalidArgType, notImplemented, validateAbortSignal } = require('internal/errors');

// --- spawn -----------------------------------------------------------------------------------------

// Kills the child, and calls `then` if there was something to kill.
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
  const wanted = readSpawn(file, args, options);
  const { signal, timeout } = wanted;
  checkTimeout(timeout);
  validateAbortSignal(signal, 'options.signal');
  const killSignal = killSignalOf(wanted.killSignal);
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

function failure(command, code, signal, killed, complaint) {
  const error = new Error(`Command failed: ${command}\n${complaint}`);
  error.code = code < 0 ? native('process').errorName(code) : code;
  error.killed = killed;
  error.signal = signal;
  return error;
}

// The output of one stream of the child, up to a limit. It is text if the stream gives text, which
// the program may have set itself.
class Output {
  #stream;
  #chunks = [];
  #length = 0;
  #isText;

  constructor(stream, encoding, name, limit, exceeded) {
    this.#stream = stream;
    this.#isText = encoding !== null;
    if (stream === null) return;
    if (this.#isText) stream.setEncoding(encoding);
    stream.on('data', (chunk) => {
      const { readableEncoding } = stream;
      const size = readableEncoding ? Buffer.byteLength(chunk, readableEncoding) : chunk.length;
      this.#length += size;
      if (this.#length <= limit) {
        arrayPush.call(this.#chunks, chunk);
        return;
      }
      const room = limit - (this.#length - size);
      arrayPush.call(this.#chunks, readableEncoding ? stringSlice.call(chunk, 0, room) : chunk.subarray(0, room));
      exceeded(coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`));
    });
  }

  value() {
    const isText = this.#isText || this.#stream?.readableEncoding;
    return isText ? arrayJoin.call(this.#chunks, '') : Buffer.concat(this.#chunks);
  }
}

// One running execFile: collects the child's output and calls back once, when the child has closed
// or failed.
class Run {
  #child;
  #command;
  #killSignal;
  #callback;
  #problem = null;
  #killed = false;
  #stdout;
  #stderr;
  #timer;

  constructor(child, command, options, callback) {
    const { encoding, killSignal, maxBuffer, timeout } = options;
    const decoder = encoding !== 'buffer' && Buffer.isEncoding(encoding) ? encoding : null;
    this.#child = child;
    this.#command = command;
    this.#killSignal = killSignal;
    this.#callback = callback;
    const exceeded = (error) => {
      this.#problem = error;
      this.#kill();
    };
    this.#stdout = new Output(child.stdout ?? null, decoder, 'stdout', maxBuffer, exceeded);
    this.#stderr = new Output(child.stderr ?? null, decoder, 'stderr', maxBuffer, exceeded);
    child.on('close', (code, signal) => this.#finish(code, signal));
    child.on('error', (error) => {
      this.#problem = error;
      this.#dropOutputs();
      this.#finish();
    });
    if (timeout > 0) this.#timer = setTimeout(() => this.#kill(), timeout);
  }

  #dropOutputs() {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
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
    const out = this.#stdout.value();
    const err = this.#stderr.value();
    if (this.#problem === null && (code !== 0 || signal !== null))
      this.#problem = failure(this.#command, code, signal, this.#child.killed || this.#killed, err);
    if (this.#problem !== null) this.#problem.cmd = this.#command;
    callback(this.#problem, out, err);
  }
}

function execFile(file, args, options, callback) {
  const read = readExecFile(args, options, callback);
  const wanted = read.options;
  checkTimeout(wanted.timeout);
  checkMaxBuffer(wanted.maxBuffer);
  wanted.killSignal = killSignalOf(wanted.killSignal);
  const { cwd, env, gid, shell, signal, uid } = wanted;
  const child = spawn(file, read.args, { __proto__: null, cwd, env, gid, shell, signal, uid });
  const command = read.args.length > 0 ? `${file} ${arrayJoin.call(read.args, ' ')}` : file;
  new Run(child, command, wanted, read.callback);
  return child;
}

function exec(command, options, callback) {
  const read = readExec(command, options, callback);
  return execFile(command, read.options, read.callback);
}

const custom = SymbolFor('nodejs.util.promisify.custom');
for (const call of over([exec, execFile]))
  Object.defineProperty(call, custom, {
    __proto__: null,
    enumerable: false,
    value(...args) {
      let resolve, reject;
      const promise = new Promise((yes, no) => {
        resolve = yes;
        reject = no;
      });
      promise.child = call(...over(args), (error, stdout, stderr) => {
        if (error === null) {
          resolve({ stdout, stderr });
          return;
        }
        error.stdout = stdout;
        error.stderr = stderr;
        reject(error);
      });
      return promise;
    },
  });

// --- waiting for the end --------------------------------------------------------------------------------

function inputOf(input, encoding) {
  if (typeof input === 'string') return Buffer.from(input, encoding && encoding !== 'buffer' ? encoding : 'utf8');
  if (ArrayBufferIsView(input)) return input;
  throw invalidArgType('options.stdio[0]', 'of type string or an instance of Buffer, TypedArray, or DataView', input);
}

function syncFailure(errno, { file, args }) {
  const error = errnoException(errno, `spawnSync ${file}`);
  error.path = file;
  error.spawnargs = arraySlice.call(args, 1);
  return error;
}

// The stdio list as the native function takes it: { fd } to inherit, {} for a pipe that the
// child writes to, { readable, input } for one that it reads from, null for nothing.
function syncStdio(options) {
  const entries = readStdio(options.stdio || 'pipe', true);
  for (let i = 0; i < entries.length; i++) {
    const { type, fd } = entries[i];
    entries[i] = type === 'ignore' ? null : type === 'fd' ? { __proto__: null, fd } :
      { __proto__: null, readable: i === 0, input: undefined };
  }
  if (options.input) entries[0] = { __proto__: null, readable: true, input: inputOf(options.input, options.encoding) };
  return entries;
}

function outputOf(bytes, encoding) {
  if (bytes === null) return null;
  const buffer = Buffer.from(bytes.buffer, 0, bytes.length);
  return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
}

function runSync(wanted) {
  checkTimeout(wanted.timeout);
  checkMaxBuffer(wanted.maxBuffer);
  const { encoding, maxBuffer, timeout } = wanted;
  const killSignal = killSignalOf(wanted.killSignal);
  const limit = maxBuffer === Infinity ? 0 : maxBuffer ?? 0;
  const raw = binding.spawnSync(wanted.child, syncStdio(wanted), timeout ?? 0, limit, killSignal);
  const failed = raw.error < 0 && raw.pid === 0;
  const output = failed ? null : raw.output;
  for (let i = 0; output !== null && i < output.length; i++) output[i] = outputOf(output[i], encoding);
  const result = raw.error < 0 ? { error: syncFailure(raw.error, wanted) } : {};
  result.status = raw.status;
  result.signal = raw.signal === null ? null : names.get(raw.signal);
  result.output = output;
  result.pid = raw.pid;
  result.stdout = output === null ? null : output[1];
  result.stderr = output === null ? null : output[2];
  return result;
}

// As in Node, `input` is the one option that may be inherited.
function readSync(file, args, options) {
  const wanted = { __proto__: null, maxBuffer: MAX_BUFFER, ...readSpawn(file, args, options) };
  if (!('input' in wanted)) wanted.input = {}.input;
  return wanted;
}

function spawnSync(file, args, options) {
  return runSync(readSync(file, args, options));
}

// The output of a child that must succeed; its standard error goes to the program's.
function checked(wanted, command) {
  const result = runSync(wanted);
  const { stderr } = result;
  if (!wanted.stdio && stderr) process.stderr.write(stderr);
  let { error } = result;
  if (!error && result.status === 0) return result.stdout;
  if (!error) {
    let message = `Command failed: ${command}`;
    if (stderr && stderr.length > 0) message += `\n${stderr.toString()}`;
    error = new Error(message);
  }
  throw Object.assign(error, result);
}

function execFileSync(file, args, options) {
  const split = splitArguments(args, options);
  const wanted = readSync(file, split.list, split.options ?? undefined);
  return checked(wanted, arrayJoin.call(arrayConcat.call([wanted.argv0 || file], split.list), ' '));
}

function execSync(command, options) {
  return checked(readSync(command, [], readExec(command, options).options), command);
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
