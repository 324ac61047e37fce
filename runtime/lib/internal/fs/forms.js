'use strict';
// Each operation of fs comes in three forms: synchronous, with a callback, with a
// promise. Here one description makes all three.
//
// A plain operation is a native function and a function that checks and turns the
// arguments into the native function's. A composed one is a generator that yields native
// calls as [function, ...arguments] and is resumed with their results or errors.

const { PromiseReject, arrayPush, arraySlice, over, promiseThen } = intrinsics;
const { callbackOf } = require('internal/fs/util');

// If several arguments are wrong, the error names the first one checked. Most operations check the
// callback first; these check that many others before it.
const BEFORE_CALLBACK = {
  __proto__: null, access: 1, chmod: 2, copyFile: 2, fchmod: 2, fchown: 3, ftruncate: 2, futimes: 3, open: 3, rm: 2, truncate: 2,
};
// A length that isn't given can't be wrong.
const isCallbackDue = (name, args) => (name === 'ftruncate' || name === 'truncate') && args.length < 2;

// From this index on, the first function is the callback, whatever comes after it.
const OPTIONAL_FROM = { __proto__: null, access: 1, copyFile: 2, cp: 2, ftruncate: 1, open: 2, rm: 1, rmdir: 1, truncate: 1 };

function callbackPlace(name, args) {
  const last = args.length - 1;
  for (let i = OPTIONAL_FROM[name] ?? last; i < last; i++) if (typeof args[i] === 'function') return i;
  return last >= 0 && typeof args[last] === 'function' ? last : -1;
}

// Takes the callback off the arguments and prepares the others: { callback, given }
function prepared(name, prepare, args) {
  const place = callbackPlace(name, args);
  if (place !== -1) {
    const callback = args[place];
    args.length = place;
    return { callback, given: Reflect.apply(prepare, undefined, args) };
  }
  const before = isCallbackDue(name, args) ? undefined : BEFORE_CALLBACK[name];
  if (before !== undefined) Reflect.apply(prepare, undefined, arraySlice.call(args, 0, before));
  return callbackOf(args.length > prepare.length ? args[prepare.length] : undefined);
}

const named = (name, call) => Object.defineProperty(call, 'name', { __proto__: null, value: name });

// call: the native function; prepare(...given): its arguments without the last one, which says how
// to answer; after(result, arguments): the caller's result.
function plain(name, call, prepare, after) {
  return {
    sync: named(`${name}Sync`, (...args) => {
      const given = Reflect.apply(prepare, undefined, args);
      const result = Reflect.apply(call, undefined, given);
      return after === undefined ? result : after(result, given);
    }),
    callback: named(name, (...args) => {
      const { callback, given } = prepared(name, prepare, args);
      arrayPush.call(given, after === undefined ? callback : (error, result) => {
        if (error) callback(error);
        else callback(null, after(result, given));
      });
      Reflect.apply(call, undefined, given);
    }),
    promise: named(name, (...args) => {
      try {
        const given = Reflect.apply(prepare, undefined, args);
        arrayPush.call(given, null);
        const promise = Reflect.apply(call, undefined, given);
        return after === undefined ? promise : promiseThen.call(promise, (result) => after(result, given));
      } catch (error) {
        return PromiseReject(error);
      }
    }),
  };
}

function runSync(steps) {
  let step = steps.next();
  while (!step.done) {
    const call = step.value[0];
    const args = arraySlice.call(step.value, 1);
    let result, failed;
    try {
      result = Reflect.apply(call, undefined, args);
    } catch (error) {
      failed = error;
    }
    step = failed !== undefined ? steps.throw(failed) : steps.next(result);
  }
  return step.value;
}

function run(steps, callback) {
  function resume(error, result) {
    let step;
    try {
      step = error ? steps.throw(error) : steps.next(result);
    } catch (thrown) {
      callback(thrown);
      return;
    }
    if (!step.done) step.value[0](...over(arraySlice.call(step.value, 1)), resume);
    else if (step.value === undefined) callback(null);
    else callback(null, step.value);
  }
  resume(null);
}

// prepare(...given) checks the arguments and returns those of the generator.
function composed(name, generator, prepare) {
  return {
    sync: named(`${name}Sync`, (...args) => runSync(Reflect.apply(generator, undefined, Reflect.apply(prepare, undefined, args)))),
    callback: named(name, (...args) => {
      const { callback, given } = prepared(name, prepare, args);
      run(Reflect.apply(generator, undefined, given), callback);
    }),
    promise: named(name, (...args) => {
      try {
        const given = Reflect.apply(prepare, undefined, args);
        return new Promise((resolve, reject) => {
          run(Reflect.apply(generator, undefined, given), (error, result) => error ? reject(error) : resolve(result));
        });
      } catch (error) {
        return PromiseReject(error);
      }
    }),
  };
}

// The native calls of a generator need all arguments before the one that says how to answer; this
// gives optional arguments a fixed shape.
module.exports = { composed, named, plain, run, runSync };
