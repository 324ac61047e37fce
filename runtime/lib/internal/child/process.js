'use strict';
// ChildProcess: a child that runs beside the program, its streams and its end.

const binding = native('spawn');
const streams = native('stream');
const handles = native('handle');
const uv = native('process');
const EventEmitter = require('events');
const net = require('net');
const { kMake } = require('internal/net/socket');
const { errnoException } = require('internal/net/util');
const { numbers: signals } = native('signals');
const { coded, invalidArgType, invalidArgValue, notImplemented } = require('internal/errors');

const names = new Map(Object.entries(signals).map(([name, number]) => [number, name]));
// Two names for one number: the usual one wins.
for (const name of ['SIGABRT', 'SIGIO']) if (name in signals) names.set(signals[name], name);

function signalOf(signal) {
  if (signal === undefined) return signals.SIGTERM;
  if (typeof signal === 'number' && (signal === 0 || names.has(signal))) return signal;
  if (typeof signal === 'string' && signals[signal.toUpperCase()] !== undefined)
    return signals[signal.toUpperCase()];
  throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
}

// What can't be started at once, but is no mistake of the program's: told by 'error'.
const LATER = new Set(['EACCES', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOENT']);

function socketFor(readable) {
  return new net.Socket({
    [kMake]: (socket) => streams.pipe(socket, false),
    kind: 'pipe',
    manualStart: true,
    readable,
  });
}

// The stdio option as a list of { type, fd, stream }.
function readStdio(stdio) {
  if (typeof stdio === 'string') {
    if (!['ignore', 'pipe', 'overlapped', 'inherit'].includes(stdio)) throw invalidArgValue('stdio', stdio);
    stdio = [stdio, stdio, stdio];
  } else if (!Array.isArray(stdio)) {
    throw invalidArgValue('stdio', stdio);
  }
  const list = [...stdio];
  while (list.length < 3) list.push(undefined);
  return list.map((item, index) => {
    item ??= index < 3 ? 'pipe' : 'ignore';
    if (item === 'ignore') return { type: 'ignore' };
    if (item === 'pipe' || item === 'overlapped') return { type: 'pipe' };
    if (item === 'inherit') return { type: 'fd', fd: index };
    if (item === 'ipc') throw notImplemented("stdio 'ipc' of child_process");
    if (typeof item === 'number') return { type: 'fd', fd: item };
    const fd = typeof item === 'object' ? descriptorOf(item) : undefined;
    if (fd === undefined) throw invalidArgValue('stdio', item);
    return { type: 'fd', fd };
  });
}

function descriptorOf(stream) {
  if (typeof stream.fd === 'number') return stream.fd;
  if (stream._handle) {
    const fd = streams.fileno(stream._handle);
    if (fd >= 0) return fd;
  }
  return undefined;
}

// A child's properties before it is spawned.
const UNBORN = {
  _closesNeeded: 1, _closesGot: 0, connected: false, signalCode: null, exitCode: null, killed: false, spawnfile: null,
};

class ChildProcess extends EventEmitter {
  #handle = null;
  #open = 0; // streams that must close before 'close'
  #reported = false;

  constructor() {
    super();
    Object.assign(this, UNBORN);
  }

  get _handle() {
    return this.#handle;
  }

  spawn(options) {
    if (options === null || typeof options !== 'object') throw invalidArgType('options', 'of type object', options);
    const stdio = readStdio(options.stdio ?? 'pipe');
    this.spawnfile = options.file;
    this.spawnargs = options.args ?? [];
    const sockets = stdio.map((item, index) => item.type === 'pipe' ? socketFor(index > 0) : null);
    const given = stdio.map((item, index) => item.type === 'pipe' ? sockets[index]._handle :
      item.type === 'fd' ? item.fd : null);
    const made = binding.spawn(this, {
      file: options.file,
      args: this.spawnargs,
      env: options.envPairs,
      cwd: options.cwd,
      detached: options.detached,
      uid: options.uid,
      gid: options.gid,
    }, given);
    const err = typeof made === 'number' ? made : 0;
    if (err < 0 && !LATER.has(uv.errorName(err))) {
      for (const socket of sockets) socket?.destroy();
      throw errnoException(err, 'spawn');
    }
    if (err < 0) {
      process.nextTick(() => this.#failed(err));
      // Without a child there is nobody at the other end.
      if (uv.errorName(err) === 'EMFILE' || uv.errorName(err) === 'ENFILE') {
        for (const socket of sockets) socket?.destroy();
        return err;
      }
    } else {
      [this.#handle, this.pid] = made;
      process.nextTick(() => this.emit('spawn'));
    }
    this.#attach(sockets, err < 0);
    return err;
  }

  #attach(sockets, failed) {
    sockets.forEach((socket, index) => {
      if (socket === null) return;
      if (index > 0) {
        this.#open++;
        this._closesNeeded++;
        socket.on('close', () => {
          this.#open--;
          this.#maybeClose();
        });
        if (!failed) socket.read(0);
      }
    });
    this.stdin = sockets[0];
    this.stdout = sockets[1];
    this.stderr = sockets[2];
    this.stdio = sockets;
  }

  // Called from C.
  onexit(code, signal) {
    if (signal !== 0) this.signalCode = names.get(signal) ?? null;
    else this.exitCode = code;
    if (this.stdin) this.stdin.destroy();
    if (this.#handle !== null) {
      handles.close(this.#handle);
      this.#handle = null;
    }
    this.emit('exit', this.exitCode, this.signalCode);
    // Output that nobody reads must not keep the child from being closed.
    process.nextTick(() => {
      for (const stream of this.stdio ?? [])
        if (stream?.readable && !stream.readableFlowing && stream._readableState.flowing === null &&
            stream.listenerCount('readable') === 0 && !stream._readableState.readableListening)
          stream.resume();
    });
    this.#reported = true;
    this.#maybeClose();
  }

  #failed(err) {
    this.exitCode = err;
    this.stdin?.destroy();
    const error = errnoException(err, this.spawnfile ? `spawn ${this.spawnfile}` : 'spawn');
    if (this.spawnfile) error.path = this.spawnfile;
    error.spawnargs = this.spawnargs.slice(1);
    this.emit('error', error);
    process.nextTick(() => {
      for (const stream of this.stdio ?? []) stream?.destroy();
    });
    this.#reported = true;
    this.#maybeClose();
  }

  #maybeClose() {
    if (this.#reported && this.#open === 0) {
      this.#reported = false;
      this.emit('close', this.exitCode, this.signalCode);
    }
  }

  kill(signal) {
    const number = signalOf(signal);
    if (this.#handle !== null) {
      const err = binding.kill(this.#handle, number);
      if (err === 0) {
        this.killed = true;
        return true;
      }
      const name = uv.errorName(err);
      if (name === 'EINVAL' || name === 'ENOSYS') throw errnoException(err, 'kill');
      if (name !== 'ESRCH') this.emit('error', errnoException(err, 'kill'));
    }
    return false;
  }

  ref() {
    if (this.#handle !== null) handles.ref(this.#handle);
  }

  unref() {
    if (this.#handle !== null) handles.unref(this.#handle);
  }
}
ChildProcess.prototype[Symbol.dispose] = function () { if (!this.killed) this.kill(); };

module.exports = { ChildProcess, descriptorOf, names, readStdio, signalOf };
