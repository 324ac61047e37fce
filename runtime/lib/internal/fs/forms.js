'use strict';
// Each operation of fs comes in three forms: synchronous, with a callback, with a
// promise. Here one description makes all three.
//
// A plain operation is a native function and a function that checks and turns the
// arguments into the native function's. A composed one is a generator that yields native
// calls as [function, ...arguments] and is resumed with their results or errors.

const { callbackOf } = require('internal/fs/util');

function splitCallback(args, arity) {
  const last = args.length > 0 ? args[args.length - 1] : undefined;
  if (typeof last === 'function') args.pop();
  else callbackOf(args.length > arity ? args[arity] : undefined);
  return last;
}

const named = (name, call) => Object.defineProperty(call, 'name', { value: name });

// call: the native function; prepare(...given): its arguments without the last one, which
// says how to answer; after(result, ...given): what the caller gets.
function plain(name, call, prepare, after) {
  return {
    sync: named(`${name}Sync`, (...args) => {
      const result = call(...prepare(...args));
      return after === undefined ? result : after(result, ...args);
    }),
    callback: named(name, (...args) => {
      const callback = splitCallback(args, prepare.length);
      const given = prepare(...args);
      given.push(after === undefined ? callback : (error, result) => {
        if (error) callback(error);
        else callback(null, after(result, ...args));
      });
      call(...given);
    }),
    promise: named(name, (...args) => {
      try {
        const given = prepare(...args);
        given.push(null);
        const promise = call(...given);
        return after === undefined ? promise : promise.then((result) => after(result, ...args));
      } catch (error) {
        return Promise.reject(error);
      }
    }),
  };
}

function runSync(steps) {
  let step = steps.next();
  while (!step.done) {
    const [call, ...args] = step.value;
    let result, failed;
    try {
      result = call(...args);
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
    if (!step.done) step.value[0](...step.value.slice(1), resume);
    else if (step.value === undefined) callback(null);
    else callback(null, step.value);
  }
  resume(null);
}

// prepare(...given) checks the arguments and returns those of the generator.
function composed(name, generator, prepare) {
  return {
    sync: named(`${name}Sync`, (...args) => runSync(generator(...prepare(...args)))),
    callback: named(name, (...args) => {
      const callback = splitCallback(args, prepare.length);
      run(generator(...prepare(...args)), callback);
    }),
    promise: named(name, (...args) => {
      try {
        const given = prepare(...args);
        return new Promise((resolve, reject) => {
          run(generator(...given), (error, result) => error ? reject(error) : resolve(result));
        });
      } catch (error) {
        return Promise.reject(error);
      }
    }),
  };
}

// The native calls of a generator need as many arguments as come before the one that
// says how to answer; this gives a call of fixed shape for those that are optional.
module.exports = { composed, named, plain, run, runSync };
