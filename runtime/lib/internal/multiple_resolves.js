'use strict';
// process.on('multipleResolves'): the engine doesn't report a promise that is settled again, so
// from the first listener on the global Promise is a proxy whose promises do. Programs without such
// a listener aren't affected. Promises made by a constructor that was saved before go unnoticed.

const tools = require('internal/tools');

let isDeprecationReported = false;

function report(type, promiseOf, value) {
  // In a tick, so that an error of a listener doesn't settle the promise.
  tools.nextTick(() => {
    if (!process.emit('multipleResolves', type, promiseOf(), value) || isDeprecationReported) return;
    isDeprecationReported = true;
    process.emitWarning('The multipleResolves event has been deprecated.', 'DeprecationWarning', 'DEP0160');
  });
}

// Wraps the program's executor in functions that notice a second call.
function watched(executor, promiseOf) {
  return (resolve, reject) => {
    let isSettled = false;
    const once = (type, settle) => (value) => {
      if (isSettled) {
        report(type, promiseOf, value);
        return;
      }
      isSettled = true;
      settle(value);
    };
    const rejectOnce = once('reject', reject);
    try {
      executor(once('resolve', resolve), rejectOnce);
    } catch (error) {
      rejectOnce(error);
    }
  };
}

function install() {
  const statics = { __proto__: null };
  const proxy = new Proxy(Promise, {
    __proto__: null,
    construct(target, args, newTarget) {
      const maker = newTarget === proxy ? Promise : newTarget;
      if (typeof args[0] !== 'function') return Reflect.construct(Promise, args, maker);
      const promise = Reflect.construct(Promise, [watched(args[0], () => promise)], maker);
      return promise;
    },
    // resolve, all and the like make promises of the constructor that they are called on, and treat
    // those of other constructors as foreign; on the proxy they use the engine's constructor.
    get(target, key, receiver) {
      const value = Reflect.get(target, key, receiver);
      if (typeof value !== 'function' || typeof key !== 'string' || receiver !== proxy) return value;
      return statics[key] ??= new Proxy(value, {
        __proto__: null,
        apply: (method, self, args) => Reflect.apply(method, self === proxy ? Promise : self, args),
      });
    },
  });
  Object.defineProperty(global, 'Promise', { __proto__: null, value: proxy, writable: true, enumerable: false, configurable: true });
}

module.exports = { install };
