'use strict';
// The hooks that C calls during a program's life: run, uncaught error, unhandled rejection,
// beforeExit, exit.

const { arrayPush, objectToString, over, weakrefDeref } = intrinsics;
const binding = native('process');
const util = native('util');
const tools = require('internal/tools');
const { options } = tools;

// --- running ------------------------------------------------------------------------------

function run() {
  // Options are read only if there are any.
  if (options.switches.length > 0 || binding.envGet('NODE_OPTIONS') !== undefined || binding.envGet('RONDO_WATCHED') !== undefined)
    require('internal/start').runWith(require('internal/switches').read(), runProgram);
  else runProgram();
}

function runProgram() {
  const loader = require('internal/loader');
  tools.runsMain = true;
  try {
    runChosen(loader);
  } finally {
    tools.runsMain = false;
  }
  tools.contexts?.reset();
}

function runChosen(loader) {
  if (options.code !== undefined) {
    const value = loader.runCode(options.code, '[eval]');
    if (options.print) require('internal/console').log(value);
  } else if (options.file !== undefined && options.file !== '-') {
    loader.runMain(process.argv[1]);
  } else if (options.file === undefined && native('stdio').kind(0) === 'tty') {
    require('internal/prompt').start();
  } else {
    loader.runCode(native('stdio').readText(0), '[stdin]');
  }
}

// --- errors ----------------------------------------------------------------------------------

let capture = null;
process.setUncaughtExceptionCaptureCallback = (callback) => {
  const errors = require('internal/errors');
  if (callback !== null && typeof callback !== 'function') throw errors.invalidArgType('fn', 'of type function or null', callback);
  if (callback !== null && capture !== null)
    throw errors.coded(Error, 'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET',
      '`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active');
  capture = callback;
};
process.hasUncaughtExceptionCaptureCallback = () => capture !== null;

let fromPromise = false;

// process._fatalException: returns true if the error was handled.
function fatalException(error, isFromPromise) {
  const origin = isFromPromise ? 'unhandledRejection' : 'uncaughtException';
  try {
    process.emit('uncaughtExceptionMonitor', error, origin);
    if (capture !== null) {
      capture(error);
      return true;
    }
    if (process.emit('uncaughtException', error, origin)) return true;
    if (tools.onUncaught === undefined) return false;
    tools.onUncaught(error); // a prompt goes on
    return true;
  } catch (second) {
    // The handler itself failed: Node ends with code 7.
    fatal(second);
    process._exiting = true;
    process.exitCode = 7;
    try {
      process.emit('exit', 7);
    } catch {
      // Nothing can be done about it at this point.
    }
    native('process').leave(7);
  }
}

// A program may set its own function, which is called instead; if it removes the function, an error
// ends the program with code 6.
process._fatalException = fatalException;
function uncaught(error) {
  const handler = process._fatalException;
  if (typeof handler === 'function') {
    const isHandled = Reflect.apply(handler, process, [error, fromPromise]);
    tools.contexts?.reset();
    return isHandled;
  }
  fatal(error);
  return native('process').leave(6);
}

function fatal(error) {
  native('stdio').write(2, require('internal/fatal').describe(error));
}

// --- rejections: the engine names them in its checkpoint, they are handled after it -----------

const pendingCount = options.rejections;
let pending = [];
const warned = new Set(); // of { ref: WeakRef, id }, for rejectionHandled
let lastId = 0;

util.onRejection((promise, reason) => {
  arrayPush.call(pending, { promise, reason });
  pendingCount[0] = 1;
});

// The engine doesn't report when a rejected promise gets its handler later, so such promises are
// checked; if there are many, a limited number each time.
const LOOKS = 256;

function emitHandledLater() {
  let any = false;
  let looks = Math.min(warned.size, LOOKS);
  for (const entry of over(warned)) {
    if (looks-- === 0) break;
    const promise = weakrefDeref.call(entry.ref);
    warned.delete(entry);
    if (promise === undefined) continue;
    if (!util.promiseHandled(promise)) {
      warned.add(entry);
      continue;
    }
    any = true;
    if (!process.emit('rejectionHandled', promise)) {
      const warning = new Error(`Promise rejection was handled asynchronously (rejection id: ${entry.id})`);
      warning.name = 'PromiseRejectionHandledWarning';
      process.emitWarning(warning);
    }
  }
  return any;
}

function rejectionError(reason) {
  if (typeof reason === 'object' && reason !== null && Object.hasOwn(reason, 'stack')) return reason;
  let text;
  try {
    text = require('internal/fatal').plain(reason);
  } catch {
    text = objectToString.call(reason);
  }
  const error = new Error('This error originated either by throwing inside of an async function without a catch ' +
    'block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason ' +
    `"${text}".`);
  error.name = 'UnhandledPromiseRejection';
  error.code = 'ERR_UNHANDLED_REJECTION';
  return error;
}

// Returns whether ticks or microtasks may have been queued.
function rejections() {
  const list = pending;
  let any = warned.size > 0 && emitHandledLater();
  pending = [];
  for (const { promise, reason } of over(list)) {
    // A tick may have added a handler since the engine reported the promise.
    if (util.promiseHandled(promise)) continue;
    any = true;
    warned.add({ ref: new WeakRef(promise), id: ++lastId });
    const announceRejection = () => process.emit('unhandledRejection', reason, promise);
    const announced = () => tools.contexts?.withPromise === undefined ? announceRejection() : tools.contexts.withPromise(promise, announceRejection);
    if (tools.rejectionMode === undefined || tools.rejectionMode === 'throw') {
      if (announced()) continue;
    } else if (!require('internal/rejection_modes').isFatal(tools.rejectionMode, reason, announced, lastId)) {
      continue;
    }
    fromPromise = true;
    try {
      binding.uncaught(rejectionError(reason));
    } finally {
      fromPromise = false;
    }
  }
  pendingCount[0] = pending.length > 0 || warned.size > 0 ? 1 : 0;
  return any || pending.length > 0;
}

// --- the end --------------------------------------------------------------------------------------

// A program may take process.emit away: then nobody hears of the end, and the code stays as it is.
function announce(event, code) {
  if (typeof process.emit === 'function') process.emit(event, code);
}

function beforeExit() {
  tools.contexts?.emitDestroyed();
  announce('beforeExit', process.exitCode || 0);
}

// A program whose module waits for something that never comes ends with 13, unless it called
// exit().
const isUnsettled = () => tools.usesModules && !tools.hasCalledExit && require('internal/esm/modules').unsettled !== undefined;

// Returns the exit code, which listeners may change.
function exit(code) {
  process._exiting = true;
  const unsettled = code === 0 && process.exitCode === undefined && isUnsettled();
  if (unsettled) process.exitCode = 13;
  else if (code !== 0) process.exitCode = code;
  announce('exit', unsettled ? 0 : process.exitCode || 0);
  return process.exitCode || 0;
}

module.exports = { rejectionError, run, uncaught, fatal, rejections, beforeExit, exit };
