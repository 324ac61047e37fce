'use strict';
// Hides differences of JavaScriptCore that a Node program would notice: WebAssembly compiles in the
// background without the loop's knowledge, and stacks have another form.

const { over, promiseThen } = intrinsics;
const { scope } = require('internal/tools');
const util = native('util');

// An outstanding compilation keeps the loop alive, as Node's platform tasks do.
function announced(start) {
  return function (...args) {
    const promise = Reflect.apply(start, this, args);
    util.taskBegin();
    promiseThen.call(promise, util.taskEnd, util.taskEnd);
    return promise;
  };
}

const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
const wasm = Object.getOwnPropertyDescriptor(global, 'WebAssembly');
if (wasm !== undefined && 'value' in wasm) {
  const { value: WebAssembly } = wasm;
  const prepare = () => {
    Object.defineProperty(global, 'WebAssembly', hidden(WebAssembly));
    for (const name of over(['compile', 'instantiate'])) {
      const start = WebAssembly[name];
      if (typeof start === 'function')
        Object.defineProperty(WebAssembly, name, { ...hidden(announced(start)), __proto__: null, enumerable: true });
    }
    return WebAssembly;
  };
  Object.defineProperty(global, 'WebAssembly', {
    __proto__: null,
    get: prepare,
    set: (value) => Object.defineProperty(global, 'WebAssembly', hidden(value)),
    enumerable: false,
    configurable: true,
  });
}

// error.stack begins with the error itself and has Node's "at" lines, from the moment an error is
// made, as programs that print or parse it expect. Errors that the engine makes itself (calling
// something that isn't a function) can't be changed this way; the code that prints errors converts
// those.
//
// As in V8, the text is made when it is first read, and the constructors that an error came through
// are not part of it.
const { captureStackTrace, stackTraceLimit } = Error;

const prepareAsUsual = function prepareStackTrace(error, sites) {
  return require('internal/stack').ofSites(error, sites);
};

function readable(error, after) {
  captureStackTrace(error, after);
  const raw = error.stack;
  const limit = WrappedError.stackTraceLimit;
  const define = (value) => {
    Object.defineProperty(error, 'stack', hidden(value));
    return value;
  };
  Object.defineProperty(error, 'stack', {
    __proto__: null,
    get() {
      const { prepareStackTrace } = WrappedError;
      if (typeof prepareStackTrace !== 'function' || prepareStackTrace === prepareAsUsual) {
        const text = require('internal/stack').from(error, raw, limit);
        return Object.isFrozen(error) ? text : define(text);
      }
      // The program makes the text itself (prepareStackTrace); meanwhile error.stack is undefined.
      const frozen = Object.isFrozen(error);
      if (!frozen) define(undefined);
      const made = Reflect.apply(prepareStackTrace, WrappedError, [error, require('internal/stack').callSites(error, raw, limit)]);
      return frozen ? made : define(made);
    },
    set: define,
    enumerable: false,
    configurable: true,
  });
  return error;
}

function wrapped(Native, Parent) {
  const { name, prototype } = Native;
  const Class = {
    [name]: function (...args) {
      const made = new.target ?? Class;
      return readable(Reflect.construct(Native, args, made), made);
    },
  }[name];
  Object.defineProperty(Class, 'prototype', { __proto__: null, value: prototype, writable: false });
  Object.defineProperty(Class, 'length', { __proto__: null, value: Native.length, configurable: true });
  Object.defineProperty(prototype, 'constructor', hidden(Class));
  Object.setPrototypeOf(Class, Parent ?? Object.getPrototypeOf(Native));
  Object.defineProperty(global, name, hidden(Class));
  scope[name] = Class;
  return Class;
}

const WrappedError = wrapped(Error);
for (const Native of over([EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError]))
  wrapped(Native, WrappedError);
WrappedError.stackTraceLimit = Math.min(stackTraceLimit, 10);
WrappedError.captureStackTrace = (target, after) => {
  readable(target, after ?? WrappedError.captureStackTrace);
};
WrappedError.prepareStackTrace = prepareAsUsual;
intrinsics.ErrorCaptureStackTrace = WrappedError.captureStackTrace;

// The engine's own text, even if the program has changed error.stack. after: the function below
// which the stack begins
module.exports = {
  rawStack(after) {
    const holder = {};
    captureStackTrace(holder, after);
    return holder.stack;
  },
};
