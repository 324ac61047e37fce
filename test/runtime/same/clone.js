'use strict';
// structuredClone: what is copied, shared, moved and refused.
const { inspect } = require('util');

function attempt(label, work) {
  let result;
  try {
    result = inspect(work(), { depth: 5 });
  } catch (error) {
    result = `${error.name} ${error.code} ${error.message}`;
  }
  console.log(label, result);
}
class Thing {
  #hidden = 1;
  constructor() { this.a = this.#hidden; }
  get g() { return 5; }
}
const cycle = { a: 1 };
cycle.self = cycle;
const values = {
  undefined, null: null, negative: -0, nan: NaN, big: 10n, symbol: Symbol('s'), call: () => {}, thing: new Thing(), cycle,
  sparse: Object.assign([1, , 3], { x: 5 }), date: new Date(5), bad: new Date(NaN), pattern: Object.assign(/a/g, { lastIndex: 3 }),
  map: new Map([[{ a: 1 }, cycle]]), set: new Set([1, {}]), boxed: [new Number(1), new String('s'), new Boolean(false), Object(5n)],
  boxedSymbol: Object(Symbol('q')), buffer: new ArrayBuffer(8), part: new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
  node: Buffer.from('ab'), view: new DataView(new ArrayBuffer(4), 1, 2), floats: new Float64Array([1.5]), bigs: new BigInt64Array([5n]),
  shared: new SharedArrayBuffer(4), promise: Promise.resolve(), weakMap: new WeakMap(), weakSet: new WeakSet(), weakRef: new WeakRef({}),
  generator: (function* () {})(), args: (function () { return arguments; })(1, 2), proxy: new Proxy({ a: 1 }, {}),
  proxyOfArray: new Proxy([1], {}), nullPrototype: Object.assign(Object.create(null), { a: 1 }), getter: { get a() { return 7; } },
  throwing: { get a() { throw new RangeError('getter'); } }, symbolKey: { [Symbol('a')]: 1, b: 2 },
  hidden: Object.defineProperty({ a: 1 }, 'b', { value: 2 }), inside: { a: [() => {}] }, mapIterator: new Map([[1, 2]]).entries(),
  arrayIterator: [1][Symbol.iterator](), math: Math, url: new URL('http://a/b'), frozen: Object.freeze({ a: 1 }), blob: new Blob(['a']),
};
for (const [name, value] of Object.entries(values)) attempt(name, () => structuredClone(value));
attempt('shared object', () => {
  const [one, two] = structuredClone([cycle, cycle]);
  return one === two;
});
attempt('shared memory', () => {
  const shared = new SharedArrayBuffer(2);
  new Uint8Array(structuredClone(shared))[0] = 7;
  return new Uint8Array(shared);
});
attempt('error', () => {
  const error = Object.assign(new TypeError('t', { cause: { a: 1 } }), { stack: 'its stack', extra: 1 });
  const copy = structuredClone(error);
  return [copy.name, copy.message, copy.stack, copy.cause, copy.extra, copy instanceof TypeError];
});
for (const options of [undefined, null, 1, 'x', {}, { transfer: null }, { transfer: 1 }, { transfer: [] }, { transfer: [{}] },
  { transfer: [new SharedArrayBuffer(1)] }])
  attempt(`options ${inspect(options)}`, () => structuredClone({ a: 1 }, options));
const made = (...bytes) => new Uint8Array(bytes).buffer;
attempt('moved', () => {
  const buffer = made(9, 8);
  const view = new Uint8Array(buffer, 1);
  return [structuredClone({ view, buffer }, { transfer: [buffer] }), buffer.byteLength, view.length];
});
attempt('moved twice', () => {
  const buffer = made(1);
  return structuredClone(buffer, { transfer: [buffer, buffer] });
});
attempt('moved away', () => {
  const buffer = made(1);
  structuredClone(0, { transfer: new Set([buffer]) });
  return [buffer.byteLength, structuredClone(buffer)];
});
attempt('not moved after all', () => {
  const buffer = made(1);
  try {
    structuredClone(() => {}, { transfer: [buffer] });
  } catch {
    return buffer.byteLength;
  }
});
attempt('resizable', () => {
  const { resizable, maxByteLength } = structuredClone(new ArrayBuffer(4, { maxByteLength: 8 }));
  return [resizable, maxByteLength];
});
attempt('nothing', () => structuredClone());
attempt('length', () => structuredClone.length);
