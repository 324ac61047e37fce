'use strict';
// What JavaScriptCore does its own way and a Node program would notice: WebAssembly
// compiles in the background without telling the loop.

const util = native('util');

// An outstanding compilation keeps the loop alive, as Node's platform tasks do.
function announced(start) {
  return function (...args) {
    const promise = start.apply(this, args);
    util.taskBegin();
    promise.then(util.taskEnd, util.taskEnd);
    return promise;
  };
}

const wasm = Object.getOwnPropertyDescriptor(global, 'WebAssembly');
if (wasm !== undefined) {
  const prepare = () => {
    Object.defineProperty(global, 'WebAssembly', wasm);
    for (const name of ['compile', 'instantiate']) {
      const start = global.WebAssembly[name];
      if (typeof start === 'function')
        Object.defineProperty(global.WebAssembly, name, {
          value: announced(start), writable: true, enumerable: true, configurable: true,
        });
    }
    return global.WebAssembly;
  };
  if ('value' in wasm)
    Object.defineProperty(global, 'WebAssembly', {
      get: prepare,
      set: (value) => Object.defineProperty(global, 'WebAssembly', { ...wasm, value }),
      enumerable: false,
      configurable: true,
    });
}

// error.stack begins with the error itself and has Node's "at" lines, from the moment an
// error is made, as programs expect that print or parse it. Errors that the engine makes
// by itself (a call of what is no function) can't be reached this way; whatever prints an
// error here puts theirs into the same form.
//
// As in V8, the text is made when it is first read, and the constructors that an error
// came through are not part of it.
const { captureStackTrace, stackTraceLimit } = Error;

function readable(error, after) {
  captureStackTrace(error, after);
  const raw = error.stack;
  const define = (value) => {
    Object.defineProperty(error, 'stack', { value, writable: true, enumerable: false, configurable: true });
    return value;
  };
  Object.defineProperty(error, 'stack', {
    get() {
      const text = require('internal/stack').from(error, raw);
      return Object.isFrozen(error) ? text : define(text);
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
  Object.defineProperty(Class, 'prototype', { value: prototype, writable: false });
  Object.defineProperty(Class, 'length', { value: Native.length, configurable: true });
  Object.defineProperty(prototype, 'constructor', { value: Class, writable: true, configurable: true });
  Object.setPrototypeOf(Class, Parent ?? Object.getPrototypeOf(Native));
  Object.defineProperty(global, name, { value: Class, writable: true, enumerable: false, configurable: true });
  return Class;
}

const WrappedError = wrapped(Error);
for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'AggregateError'])
  wrapped(global[name], WrappedError);
WrappedError.stackTraceLimit = Math.min(stackTraceLimit, 10);
WrappedError.captureStackTrace = (target, after) => {
  readable(target, after ?? WrappedError.captureStackTrace);
};
