'use strict';
// ChildProcess: an asynchronous child, its streams and its end. A function, not a class, so that
// the old way of subclassing works: ChildProcess.call(this).

const { ArrayIsArray, arraySlice } = intrinsics;
const binding = native('spawn');
const streams = native('stream');
const handles = native('handle');
const uv = native('process');
const EventEmitter = require('events');
const net = require('net');
const { kMake } = require('internal/net/socket');
const { errnoException } = require('internal/net/util');
const { signalOf } = require('internal/child/arguments');
const { names } = require('internal/child/signals');
const { readStdio } = require('internal/child/stdio');
const { invalidArgType, validateOneOf, validateString } = require('internal/errors');

const kOpen = Symbol('open'); // how many streams must close before 'close'
const kReported = Symbol('reported');
const kHandedOver = Symbol('handed over'); // on a stream: another child reads from its descriptor

// Failures to start that aren't the program's mistake: reported by 'error'.
const LATER = { __proto__: null, EACCES: true, EAGAIN: true, EMFILE: true, ENFILE: true, ENOENT: true };
const EXHAUSTED = { __proto__: null, EMFILE: true, ENFILE: true };

const SERIALIZATIONS = [undefined, 'json', 'advanced'];

function socketFor(readable) {
  return new net.Socket({
    __proto__: null,
    [kMake]: (socket) => streams.pipe(socket, false),
    kind: 'pipe',
    manualStart: true,
    readable,
  });
}

function ChildProcess() {
  Reflect.apply(EventEmitter, this, []);
  this.spawnfile = this.exitCode = this.signalCode = null;
  this.connected = this.killed = false;
  this._closesGot = 0;
  this._closesNeeded = 1; // its end, and that of each stream
  const hidden = (key, value) => Object.defineProperty(this, key, { __proto__: null, value, writable: true, configurable: true });
  hidden('_handle', null);
  hidden(kOpen, 0);
  hidden(kReported, false);
}
ChildProcess.prototype = Object.create(EventEmitter.prototype, {
  constructor: { __proto__: null, value: ChildProcess, writable: true, configurable: true },
});
Object.setPrototypeOf(ChildProcess, EventEmitter);

// The parent must not read from a stream that the child reads from.
function handOver(stream) {
  stream[kHandedOver] = true;
  if (typeof stream.pause === 'function') stream.pause();
  if (typeof stream._stopReading === 'function') stream._stopReading();
}

function destroyAll(sockets) {
  for (let i = 0; i < sockets.length; i++) sockets[i]?.destroy();
}

function checkOptions({ args, file }) {
  validateString(file, 'options.file');
  if (args !== undefined && !ArrayIsArray(args)) throw invalidArgType('options.args', 'an instance of Array', args);
}

// The description for the native function: made by child_process, or by a program that calls spawn
// on a ChildProcess of its own.
const describe = (options) => options.child ?? {
  __proto__: null,
  file: options.file,
  args: options.args ?? [],
  env: options.envPairs,
  cwd: options.cwd,
  detached: options.detached,
  uid: options.uid,
  gid: options.gid,
};

ChildProcess.prototype.spawn = function spawn(options) {
  if (options === null || typeof options !== 'object') throw invalidArgType('options', 'of type object', options);
  const stdio = readStdio(options.stdio || 'pipe', false);
  checkOptions(options);
  validateOneOf(options.serialization, 'options.serialization', SERIALIZATIONS);
  this.spawnfile = options.file;
  this.spawnargs = options.args ?? [];
  const sockets = [];
  const given = [];
  for (let i = 0; i < stdio.length; i++) {
    const { type, fd, stream } = stdio[i];
    sockets[i] = type === 'pipe' ? socketFor(i > 0) : null;
    given[i] = type === 'pipe' ? sockets[i]._handle : type === 'fd' ? fd : null;
    if (stream !== undefined) handOver(stream);
  }
  const made = binding.spawn(this, describe(options), given);
  const err = typeof made === 'number' ? made : 0;
  const code = err < 0 ? uv.errorName(err) : undefined;
  if (err < 0 && !LATER[code]) {
    destroyAll(sockets);
    throw errnoException(err, 'spawn');
  }
  if (err < 0) {
    process.nextTick(failed, this, err);
    // Without a child nothing is at the other end.
    if (EXHAUSTED[code]) {
      destroyAll(sockets);
      return err;
    }
  } else {
    this._handle = made[0];
    this.pid = made[1];
    process.nextTick(() => this.emit('spawn'));
  }
  attach(this, sockets, err < 0);
  return err;
};

function attach(child, sockets, isDead) {
  for (let i = 1; i < sockets.length; i++) {
    const socket = sockets[i];
    if (socket === null) continue;
    child[kOpen]++;
    child._closesNeeded++;
    socket.on('close', () => {
      child[kOpen]--;
      maybeClose(child);
    });
    if (!isDead) socket.read(0);
  }
  child.stdin = sockets.length > 0 ? sockets[0] : null;
  child.stdout = sockets.length > 1 ? sockets[1] : null;
  child.stderr = sockets.length > 2 ? sockets[2] : null;
  child.stdio = sockets;
}

// Unread output must not keep the child from being closed.
function flush(child) {
  const { stdio } = child;
  if (stdio === undefined) return;
  for (let i = 0; i < stdio.length; i++) {
    const stream = stdio[i];
    if (stream?.readable && !stream[kHandedOver] && !stream.readableFlowing && stream._readableState.flowing === null &&
        stream.listenerCount('readable') === 0 && !stream._readableState.readableListening)
      stream.resume();
  }
}

// Called from C.
ChildProcess.prototype.onexit = function onexit(code, signal) {
  if (signal !== 0) this.signalCode = names.get(signal) ?? null;
  else this.exitCode = code;
  if (this.stdin) this.stdin.destroy();
  if (this._handle !== null) {
    handles.close(this._handle);
    this._handle = null;
  }
  this.emit('exit', this.exitCode, this.signalCode);
  process.nextTick(flush, this);
  this[kReported] = true;
  maybeClose(this);
};

function failed(child, err) {
  child.exitCode = err;
  child.stdin?.destroy();
  const error = errnoException(err, child.spawnfile ? `spawn ${child.spawnfile}` : 'spawn');
  if (child.spawnfile) error.path = child.spawnfile;
  error.spawnargs = arraySlice.call(child.spawnargs, 1);
  child.emit('error', error);
  process.nextTick(destroyAll, child.stdio ?? []);
  child[kReported] = true;
  maybeClose(child);
}

function maybeClose(child) {
  if (!child[kReported] || child[kOpen] !== 0) return;
  child[kReported] = false;
  child.emit('close', child.exitCode, child.signalCode);
}

ChildProcess.prototype.kill = function kill(signal) {
  const number = signal === 0 ? 0 : signalOf(signal === undefined ? 'SIGTERM' : signal);
  if (this._handle === null) return false;
  const err = binding.kill(this._handle, number);
  if (err === 0) {
    this.killed = true;
    return true;
  }
  const name = uv.errorName(err);
  if (name === 'EINVAL' || name === 'ENOSYS') throw errnoException(err, 'kill');
  if (name !== 'ESRCH') this.emit('error', errnoException(err, 'kill'));
  return false;
};

ChildProcess.prototype[Symbol.dispose] = function () {
  if (!this.killed) this.kill();
};

ChildProcess.prototype.ref = function ref() {
  if (this._handle !== null) handles.ref(this._handle);
};

ChildProcess.prototype.unref = function unref() {
  if (this._handle !== null) handles.unref(this._handle);
};

module.exports = { ChildProcess };
