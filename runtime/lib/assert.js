'use strict';
// assert as Node 20 has it.

const { inspect } = require('internal/inspect');
const { deepEqual } = require('internal/equal');
const { coded, invalidArgType } = require('internal/errors');
const { kOurs } = require('internal/tools');

const headlines = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};
const show = (value) => inspect(value, {
  compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, sorted: true,
  getters: true, breakLength: Infinity,
});

// Lines that differ, marked + and -, found by the longest common subsequence.
function difference(actual, expected) {
  const a = actual.split('\n');
  const b = expected.split('\n');
  if (a.length * b.length > 1e6) return `+ ${a.join('\n+ ')}\n- ${b.join('\n- ')}`;
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const lines = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i++;
      j++;
    } else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) {
      lines.push(`+ ${a[i++]}`);
    } else {
      lines.push(`- ${b[j++]}`);
    }
  }
  return lines.join('\n');
}

function messageFor(operator, actual, expected) {
  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';
  if (operator === 'deepStrictEqual' || operator === 'strictEqual') {
    const [left, right] = [show(actual), show(expected)];
    const single = !left.includes('\n') && !right.includes('\n') && left !== right;
    const headline = operator === 'strictEqual' && isObject(actual) && isObject(expected) ?
      headlines.strictEqualObject : headlines[operator];
    if (single && !(isObject(actual) && isObject(expected)) && left.length + right.length <= 64 &&
        (actual !== 0 || expected !== 0)) return `${headline}\n\n${left} !== ${right}\n`;
    if (left === right)
      return `${operator === 'strictEqual' ? 'Values have same structure but are not reference-equal' :
        'Values have same structure but are not reference-equal'}:\n\n${left}\n`;
    return `${headline}\n+ actual - expected\n\n${difference(left, right)}`;
  }
  if (operator.startsWith('not') && operator.endsWith('Equal') && operator !== 'notEqual') {
    const text = show(actual);
    if (operator === 'notStrictEqual' && isObject(actual)) return `${headlines.notStrictEqualObject}\n\n${text}`;
    return text.includes('\n') ? `${headlines[operator]}\n\n${text}\n` : `${headlines[operator]} ${text}`;
  }
  if (operator === 'deepEqual')
    return `${headlines.deepEqual}\n\n${show(actual)}\n\nshould loosely deep-equal\n\n${show(expected)}`;
  const text = inspect(actual, { depth: 2 });
  const other = inspect(expected, { depth: 2 });
  return `${text} ${operator === 'equal' ? '==' : operator === 'notEqual' ? '!=' : operator} ${other}`;
}

class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== 'object') throw invalidArgType('options', 'of type object', options);
    const { message, operator, actual, expected } = options;
    super(message != null ? String(message) : messageFor(operator, actual, expected));
    Object.defineProperty(this, kOurs, { value: true });
    this.generatedMessage = message == null;
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Object.defineProperty(this, 'name', { value: 'AssertionError', writable: true, configurable: true, enumerable: false });
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

function fails(options) {
  if (options.message instanceof Error) throw options.message;
  throw new AssertionError(options);
}

function assert(...args) {
  ok('assert', args);
}

function ok(name, args) {
  if (args[0]) return;
  let message = args[1];
  if (args.length === 0) message = 'No value argument passed to `assert.ok()`';
  else if (message == null) message = 'The expression evaluated to a falsy value';
  if (message instanceof Error) throw message;
  const error = new AssertionError({ actual: args[0], expected: true, message, operator: '==' });
  error.generatedMessage = args.length < 2;
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

assert.fail = (message = 'Failed') => {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, operator: 'fail' });
};

assert.ifError = (value) => {
  if (value === null || value === undefined) return;
  const text = typeof value === 'object' && typeof value.message === 'string' ?
    value.message || value.constructor?.name : inspect(value);
  throw new AssertionError({
    actual: value, expected: null, operator: 'ifError', message: `ifError got unwanted exception: ${text}`,
  });
};

// Whether an error is the expected one: a class, a pattern, a function or an object.
function matches(error, expected, message, operator) {
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (Error.isPrototypeOf(expected) || expected === Error) {
      if (message === undefined) throw error;
      fails({ actual: error, expected, message, operator });
    }
    if (expected.call({}, error) === true) return;
    fails({
      actual: error, expected, operator,
      message: message ?? `The ${expected.name ? `"${expected.name}" ` : ''}validation function is expected to return ` +
        `"true". Received ${inspect(expected.call({}, error))}\n\nCaught error:\n\n${error}`,
    });
  }
  if (expected instanceof RegExp) {
    if (expected.test(String(error))) return;
    fails({
      actual: error, expected, operator,
      message: message ?? `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`,
    });
  }
  const keys = expected instanceof Error ? [...Object.keys(expected), 'name', 'message'] : Object.keys(expected);
  for (const key of keys) {
    if (typeof error[key] === 'string' && expected[key] instanceof RegExp && expected[key].test(error[key])) continue;
    if (key in error && deepEqual(error[key], expected[key], true)) continue;
    fails({ actual: error, expected, message, operator: 'deepStrictEqual' });
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
      throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE',
        `Expected instance of Promise to be returned from the "promiseFn" function but got ${typeof promise}.`);
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
  if (typeof expected === 'string') [expected, message] = [undefined, expected];
  if (actual === nothing) {
    const what = operator === 'rejects' ? 'rejection' : 'exception';
    const name = expected?.name ? ` (${expected.name})` : '';
    fails({ actual: undefined, expected, operator, message: `Missing expected ${what}${name}${message ? `: ${message}` : '.'}` });
  }
  if (expected !== undefined) matches(actual, expected, message, operator);
}

function expectNone(operator, actual, expected, message) {
  if (actual === nothing) return;
  if (typeof expected === 'string') [expected, message] = [undefined, expected];
  const what = operator === 'doesNotReject' ? 'rejection' : 'exception';
  fails({
    actual, expected, operator,
    message: `Got unwanted ${what}${message ? `: ${message}` : '.'}\nActual message: "${actual?.message}"`,
  });
}

assert.throws = (fn, ...args) => expectError('throws', thrown(fn), ...args);
assert.doesNotThrow = (fn, ...args) => expectNone('doesNotThrow', thrown(fn), ...args);
assert.rejects = async (promise, ...args) => expectError('rejects', await rejected(promise), ...args);
assert.doesNotReject = async (promise, ...args) => expectNone('doesNotReject', await rejected(promise), ...args);

function matching(operator, wanted) {
  return (text, pattern, message) => {
    if (!(pattern instanceof RegExp)) throw invalidArgType('regexp', 'an instance of RegExp', pattern);
    if (typeof text === 'string' && pattern.test(text) === wanted) return;
    fails({
      actual: text, expected: pattern, operator,
      message: message ?? (typeof text !== 'string' ?
        `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})` :
        `The input ${wanted ? 'did not match' : 'was expected to not match'} the regular expression ${inspect(pattern)}. ` +
        `Input:\n\n${inspect(text)}\n`),
    });
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
