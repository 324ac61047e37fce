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
