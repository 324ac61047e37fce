'use strict';
// What assertions say when they fail.
const assert = require('assert');

function attempt(call) {
  try {
    call();
    console.log('passed', String(call));
  } catch (error) {
    console.log(String(call), '\n', error.name, error.code, error.generatedMessage, error.operator);
    console.log(error.message);
  }
}

attempt(() => assert.strictEqual(1, 2));
attempt(() => assert.strictEqual('abc', 'abd'));
attempt(() => assert.strictEqual('abcdef', 'abcdeg'));
attempt(() => assert.strictEqual('hello world', 'goodbye world'));
attempt(() => assert.strictEqual(null, undefined));
attempt(() => assert.strictEqual(1, 2, 'my words'));
attempt(() => assert.strictEqual([1], [1]));
attempt(() => assert.deepStrictEqual({ a: 1, b: 2, c: 3 }, { a: 1, c: 3 }));
attempt(() => assert.deepStrictEqual([1, 2], [1]));
attempt(() => assert.deepStrictEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 11]));
attempt(() => assert.deepStrictEqual([[[1, 2, [3]]], { x: [1, 2] }], [[[1, 2, [4]]], { x: [1, 2] }]));
attempt(() => assert.deepStrictEqual(new Date(0), new Date(1)));
attempt(() => assert.deepStrictEqual(new Error('a'), new Error('b')));
attempt(() => assert.deepEqual({ a: 1 }, { a: 2 }));
attempt(() => assert.equal({ a: 1 }, 5));
attempt(() => assert.notDeepStrictEqual({ a: 1 }, { a: 1 }));
attempt(() => assert.ok(0));
attempt(() => assert(typeof 123 === 'string'));
attempt(() => assert.strict.ok([1, ')'].length > 2));
attempt(() => assert.fail());
attempt(() => assert.throws(() => { throw new Error('x'); }, /y/));
attempt(() => assert.throws(() => { throw new Error('x'); }, { message: 'y' }));
attempt(() => assert.throws(() => { throw new Error('x'); }, TypeError));
attempt(() => assert.throws(() => { throw new Error('x'); }, 'x'));
attempt(() => assert.match('abc', /x/));
