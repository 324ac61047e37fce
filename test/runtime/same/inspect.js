'use strict';
// How values print.
class Plain {
  constructor() {
    this.a = 1;
  }

  get accessor() {
    return 1;
  }

  static shared = 1;
}
class Derived extends Plain {}
const circular = { name: 'c' };
circular.self = circular;
circular.list = [circular, { circular }];
const rejected = Promise.reject(3);
rejected.catch(() => {});
const custom = Symbol.for('nodejs.util.inspect.custom');

const values = [
  // objects
  {}, { a: 1, b: 'two', c: [1, 2, 3], d: { e: { f: { g: 1 } } } },
  { f() {}, g: class {}, h: Plain, i: Symbol('x'), [Symbol('k')]: 1, 'a-b': 2, u: undefined, n: null, big: 10n, neg: -0 },
  { get a() { return 1; }, set a(v) {}, get b() { return 2; }, set c(v) {} },
  circular, new Plain(), new Derived(), Object.create(null), Object.assign(Object.create(null), { a: 1 }),
  Object.create({ a: 1 }), Object.create(Plain.prototype), { a: {}, b: [], c: new Map(), d: new Set(), e: '' },
  { x: { y: { z: {} } } }, { x: { y: { z: [] } } }, { x: { y: { z: new Map([[1, 2]]) } } }, { x: { y: { z: new Plain() } } },
  { long1: 'a'.repeat(31), long2: 'b'.repeat(34), long3: 'c'.repeat(19) },
  // arrays
  [], [1, , 3, , , 6], [[]], [{}], new Array(5), Array.from({ length: 150 }, (_, i) => i), [undefined, null],
  [['a', 'b'], ['c', ['d', ['e', ['f']]]]], [1.5, 2.25, -3, 100000, 5, 6, 7, 8, 9, 10], [true, false, null, undefined, 1, 2, 3],
  ['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape', 'honeydew melon'],
  Array.from({ length: 30 }, (_, i) => `item${i}`), ['x'.repeat(20), 'y'.repeat(20), 'z'.repeat(20), 'w'.repeat(20)],
  { k: [1, 2, 3, { a: 1, b: { c: 2 } }] }, Object.assign([1, 2], { x: 1 }), new (class extends Array {})(1, 2, 3),
  // collections
  new Map([[1, { a: 1 }], ['k', new Map()]]), new Set([1, 'a', [1]]), new WeakMap(), new WeakSet(),
  new (class Special extends Map {})([[1, 2]]), { c: new Map([[{ a: 1 }, 'x']]), d: new Set([[1, 2], { a: 1 }]) },
  // functions and classes
  Plain, Derived, () => {}, function named() {}, async () => {}, function* generator() {}, async function* both() {},
  Object.assign(() => {}, { p: 1 }), Object.assign(function f() {}, { a: { b: 1 } }), [function () {}],
  // built-in kinds
  new Date(0), new Date(NaN), [new Date(0)], /re/gi, new Uint8Array([1, 2, 3]), new Float64Array(2), new ArrayBuffer(4),
  new DataView(new ArrayBuffer(2)), new BigInt64Array(1), Promise.resolve(4), new Promise(() => {}), rejected,
  new Number(3), new String('abc'), new Boolean(false), Object(Symbol('q')), Object(1n), Math, JSON, Reflect,
  new Proxy({ a: 1 }, {}), new Proxy([1], {}), (function () { return arguments; })(1, 2),
  // primitives and strings
  'plain', "it's", ["it's", 'a"b\'c', 'new\nline', '\x00\x1b', '\u00e9', '\u{1F600}'], 'a\nb', { s: 'a\nb' }, { s: 'x'.repeat(100) },
  ['line1\nline2 is quite a bit longer than the first and goes over the eighty columns limit'],
  Symbol('s'), Symbol.iterator, 10n, -0, [-0], 0, NaN, Infinity, undefined, null, true,
  // custom
  { [custom]: (depth) => `CUSTOM ${depth}` }, [{ [custom]: () => ({ z: 1 }) }],
];
for (const value of values) console.log(value);

console.log('%s is %d years and %i, %f, %j %o %O %% %c.', 'Bob', 42.5, 42.9, '1.5', { a: [1] }, [1, { a: 2 }],
  { x: { y: { z: {} } } }, 'css', 'extra', { q: 1 });
console.log('%s %s %s %s', { a: { b: { c: 1 } } }, [1, [2, [3]]], class A {}, function foo() {}, '%d', 'x%');
console.log('%s', new Plain(), '%s', Symbol('a'), null, undefined, -0);
console.log('%i', 1n, '%d', '5', '100%', '%x', 5);

const { inspect } = require('util');
const deep = { a: { b: { c: { d: { e: 1 } } } }, list: [[[[1]]]], map: new Map([['k', { v: { w: {} } }]]) };
for (const options of [{ depth: 0 }, { depth: null }, { compact: false }, { compact: true }, { breakLength: 20 },
  { breakLength: Infinity }, { sorted: true }, { maxArrayLength: 0 }, { colors: true }, { showHidden: true }])
  console.log(inspect(deep, options));
console.log(inspect([1, 2, 3, 4, 5], { maxArrayLength: 2 }), inspect('abcdef', { maxStringLength: 3 }),
  inspect(1234567.891, { numericSeparator: true }), inspect({ get a() { return { b: 1 }; } }, { getters: true }));
console.table([{ a: 1, b: 2 }, { a: 3, c: 4 }]);
console.table([[1, 2], [3, 4]]);
console.table(new Map([['k', 1]]));
console.table([1, 'two', { three: 3 }]);
console.table(5);
console.group('outer');
console.log('inside\ntwo lines');
console.group();
console.log({ nested: true });
console.groupEnd();
console.groupEnd();
console.log('outside');
console.count();
console.count('x');
console.count();
console.countReset();
console.count();
console.dir({ a: { b: { c: {} } } }, { depth: 0 });
console.assert(true, 'not shown');
