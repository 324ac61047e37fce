'use strict';
// assert as Node 20 has it.

const { objectIsPrototypeOf, over, regexpTest } = intrinsics;
const { inspect } = require('internal/inspect');
const { deepEqual } = require('internal/equal');
const { coded, invalidArgType, invalidArgValue, invalidReturnValue } = require('internal/errors');
const { callText, messageFor } = require('internal/assert_words');
const { kOurs } = require('internal/tools');

class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== 'object') throw invalidArgType('options', 'of type object', options);
    const { message, operator, actual, expected } = options;
    super(messageFor(operator, actual, expected, message != null ? String(message) : undefined));
    Object.defineProperty(this, kOurs, { __proto__: null, value: true });
    this.generatedMessage = message == null;
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Object.defineProperty(this, 'name', { __proto__: null, value: 'AssertionError', writable: true, configurable: true, enumerable: false });
  }

  toString() {
    const { name, code, message } = this;
    return `${name} [${code}]: ${message}`;
  }
}

// words: the message if the caller gave none
function fails(options, words) {
  if (options.message instanceof Error) throw options.message;
  const error = new AssertionError({ ...options, message: options.message ?? words });
  if (words !== undefined) error.generatedMessage = options.message == null;
  throw error;
}

function assert(...args) {
  ok('assert', args);
}

function ok(name, args) {
  if (args[0]) return;
  let message = args[1];
  if (args.length === 0) message = 'No value argument passed to `assert.ok()`';
  const generated = message == null || args.length === 0;
  if (message == null) {
    const call = callText(new Error().stack);
    message = `The expression evaluated to a falsy value${call === undefined ? '' : `:\n\n  ${call}\n`}`;
  }
  if (message instanceof Error) throw message;
  const error = new AssertionError({ actual: args[0], expected: true, message, operator: '==' });
  error.generatedMessage = generated;
  throw error;
}

const compare = (operator, test) => function (actual, expected, message) {
  if (arguments.length < 2)
    throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
  if (!test(actual, expected)) fails({ actual, expected, message, operator });
};

// eslint-disable-next-line eqeqeq
const looselyEqual = (a, b) => a == b || a !== a && b !== b;
Object.assign(assert, {
  ok: (...args) => ok('assert.ok', args),
  equal: compare('==', looselyEqual),
  notEqual: compare('!=', (a, b) => !looselyEqual(a, b)),
  strictEqual: compare('strictEqual', Object.is),
  notStrictEqual: compare('notStrictEqual', (a, b) => !Object.is(a, b)),
  deepEqual: compare('deepEqual', (a, b) => deepEqual(a, b, false)),
  notDeepEqual: compare('notDeepEqual', (a, b) => !deepEqual(a, b, false)),
  deepStrictEqual: compare('deepStrictEqual', (a, b) => deepEqual(a, b, true)),
  notDeepStrictEqual: compare('notDeepStrictEqual', (a, b) => !deepEqual(a, b, true)),
});

assert.fail = (message) => {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message: message ?? 'Failed', operator: 'fail' });
  error.generatedMessage = message === undefined;
  throw error;
};

assert.ifError = (value) => {
  if (value === null || value === undefined) return;
  const text = typeof value === 'object' && typeof value.message === 'string' ?
    value.message || value.constructor?.name : inspect(value);
  throw new AssertionError({
    actual: value, expected: null, operator: 'ifError', message: `ifError got unwanted exception: ${text}`,
  });
};

// The properties of an error that are compared. A property that matches a pattern is shown as the
// pattern.
class Comparison {
  constructor(object, keys, patterns) {
    for (const key of over(keys)) {
      if (!(key in object)) continue;
      const pattern = patterns?.[key];
      this[key] = pattern instanceof RegExp && typeof object[key] === 'string' && regexpTest(pattern, object[key]) ? pattern : object[key];
    }
  }
}

// Whether an error is the expected one: a class, a pattern, a function or an object.
function matches(error, expected, message, operator) {
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (objectIsPrototypeOf.call(Error, expected) || expected === Error) {
      fails({ actual: error, expected, message, operator },
        `The error is expected to be an instance of "${expected.name}". Received ` +
        (error instanceof Error ? `"${error.name}"\n\nError message:\n\n${error.message}` : `"${inspect(error, { depth: -1 })}"`));
    }
    if (Reflect.apply(expected, {}, [error]) === true) return;
    fails({ actual: error, expected, operator, message },
      `The ${expected.name ? `"${expected.name}" ` : ''}validation function is expected to return ` +
        `"true". Received ${inspect(Reflect.apply(expected, {}, [error]))}\n\nCaught error:\n\n${error}`);
  }
  if (expected instanceof RegExp) {
    if (regexpTest(expected, String(error))) return;
    fails({ actual: error, expected, operator, message },
      `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`);
  }
  const keys = expected instanceof Error ? [...over(Object.keys(expected)), 'name', 'message'] : Object.keys(expected);
  if (keys.length === 0) throw invalidArgValue('error', expected, 'may not be an empty object');
  for (const key of over(keys)) {
    if (typeof error[key] === 'string' && expected[key] instanceof RegExp && regexpTest(expected[key], error[key])) continue;
    if (key in error && deepEqual(error[key], expected[key], true)) continue;
    fails({ actual: error, expected, message, operator },
      messageFor('deepStrictEqual', new Comparison(error, keys, expected), new Comparison(expected, keys)));
  }
}

const nothing = Symbol('nothing');

function thrown(fn) {
  if (typeof fn !== 'function') throw invalidArgType('fn', 'of type function', fn);
  try {
    fn();
  } catch (error) {
    return error;
  }
  return nothing;
}

async function rejected(promise) {
  if (typeof promise === 'function') {
    promise = promise();
    if (typeof promise?.then !== 'function')
      throw invalidReturnValue('instance of Promise', 'promiseFn', promise);
  }
  if (typeof promise?.then !== 'function') throw invalidArgType('promiseFn', 'of type function or an instance of Promise', promise);
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return nothing;
}

function expectError(operator, actual, expected, message) {
  const isText = typeof expected === 'string';
  if (isText ? arguments.length > 3 : expected !== undefined && expected !== null && typeof expected !== 'object' && typeof expected !== 'function')
    throw invalidArgType('error', 'of type function or an instance of Error, RegExp, or Object', expected);
  if (isText) {
    if (actual !== nothing && (actual?.message ?? actual) === expected)
      throw coded(TypeError, 'ERR_AMBIGUOUS_ARGUMENT', `The "error/message" argument is ambiguous. The error ` +
        `${actual?.message === undefined ? '' : 'message '}"${expected}" is identical to the message.`);
    message = expected;
    expected = undefined;
  }
  if (actual === nothing) {
    const what = operator === 'rejects' ? 'rejection' : 'exception';
    const name = expected?.name ? ` (${expected.name})` : '';
    fails({ actual: undefined, expected, operator, message: `Missing expected ${what}${name}${message ? `: ${message}` : '.'}` });
  }
  if (expected !== undefined && expected !== null) matches(actual, expected, message, operator);
}

function expectNone(operator, actual, expected, message) {
  if (actual === nothing) return;
  if (typeof expected === 'string') {
    message = expected;
    expected = undefined;
  }
  const what = operator === 'doesNotReject' ? 'rejection' : 'exception';
  fails({
    actual, expected, operator,
    message: `Got unwanted ${what}${message ? `: ${message}` : '.'}\nActual message: "${actual?.message}"`,
  });
}

assert.throws = (fn, ...args) => expectError('throws', thrown(fn), ...over(args));
assert.doesNotThrow = (fn, ...args) => expectNone('doesNotThrow', thrown(fn), ...over(args));
assert.rejects = async (promise, ...args) => expectError('rejects', await rejected(promise), ...over(args));
assert.doesNotReject = async (promise, ...args) => expectNone('doesNotReject', await rejected(promise), ...over(args));

function matching(operator, wanted) {
  return (text, pattern, message) => {
    if (!(pattern instanceof RegExp)) throw invalidArgType('regexp', 'an instance of RegExp', pattern);
    if (typeof text === 'string' && regexpTest(pattern, text) === wanted) return;
    fails({ actual: text, expected: pattern, operator, message }, typeof text !== 'string' ?
      `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})` :
      `The input ${wanted ? 'did not match' : 'was expected to not match'} the regular expression ${inspect(pattern)}. ` +
      `Input:\n\n${inspect(text)}\n`);
  };
}
assert.match = matching('match', true);
assert.doesNotMatch = matching('doesNotMatch', false);
assert.AssertionError = AssertionError;
assert.CallTracker = class CallTracker {
  constructor() {
    throw require('internal/errors').notImplemented('assert.CallTracker');
  }
};

const strict = Object.assign((...args) => ok('assert', args), assert, {
  equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual,
  notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict = strict;
strict.strict = strict;

module.exports = assert;
