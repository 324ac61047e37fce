'use strict';
// util.inspect of what is long takes time in proportion, not hours; the limit of this script
// is the test's.

const { inspect } = require('util');

const head = { number: 0, marks: [true, null, 'x'] };
for (let number = 1, node = head; number <= 250; number++) {
  const next = { number, head, before: node, marks: new Set([number]) };
  node.next = head[`to${number}`] = next;
  node = next;
}
console.log(inspect(head, { depth: Infinity }).length);

const all = { maxStringLength: null, maxArrayLength: null };
console.log(inspect('x'.repeat(2e7), all).length, inspect('ab\n'.repeat(5e5), all).length, inspect("a'\n\t\u001b\ud800".repeat(1e5), all).length);
console.log(inspect(Array.from({ length: 2e5 }, (unused, index) => `item ${index}`), all).length);

// Large lists: their elements are not looked through for other properties.
console.log(Buffer.alloc(1e7), inspect(new Uint8Array(1e7)).length, inspect(new Array(3e6).fill(1)).length);
const holes = new Array(1e9);
console.log(holes);
holes[5e8] = 1;
holes[7] = 2;
console.log(holes, [, , 1, , 2, ,]);
const marked = Object.assign([1, , 3], { x: 1, [Symbol('y')]: 2, '-1': 3, '01': 4, 1.5: 5, 4294967295: 6 });
console.log(marked, inspect(marked, { showHidden: true }), Object.assign(Buffer.from('ab'), { x: 5 }));
console.log(inspect(Object.assign(new Array(3e4).fill(0), { [Symbol('x')]: 5 }), { maxArrayLength: 1, showHidden: true }));
console.log(["it's", 'both \' and "', 'all \' " `', "${'\"", '\\', '\u0000\u007f\u0080\u00a0', '😀\ud83d', '\ude00']);
