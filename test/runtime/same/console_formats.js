'use strict';
// What console prints of values that are less common: iterators, proxies, wide characters,
// tables, groups and assertions.
const { inspect } = require('util');
const { Writable } = require('stream');
const { Console } = require('console');

const map = new Map([['a', { x: 1 }], ['b', [1, 2]]]);
const begun = map.entries();
begun.next();
console.log(map.keys(), map.values(), map.entries(), begun, new Map().keys());
console.log(new Set([[1, 2], 3]).values(), new Set([5]).entries());
console.log(begun.next().value, [...map.keys()]);
console.log(inspect(new Proxy({ a: 1 }, { get: () => 5 }), { showProxy: true }));
console.log(inspect(new Proxy(new Proxy([1], {}), { has: () => true }), { showProxy: true }));
console.log(['日本', 'é', '😀', 'a', 'b', 'c', 'd', 'e']);
console.log(inspect({ a: { b: { c: {} } }, list: [1, 2, [3]] }, { compact: true, breakLength: 12 }));
console.log('%o', function old() {});
console.log('%s|%s|%s', Buffer.from('text'), new URL('http://a.b/'), new Map([[1, 2]]));
console.log(Object.keys(inspect.colors).length);
console.table(new Set([1, { a: 1 }]));
console.table(map.entries());
console.table([{ name: '日本', v: 'é' }]);

let text = '';
const stream = new Writable({ write(chunk, encoding, callback) { text += chunk; callback(); } });
const other = new Console({ stdout: stream, stderr: stream, groupIndentation: 4 });
other.group('group');
other.log({ a: 1 });
other.groupEnd();
other.assert(false, 'of %s', 'kind');
other.assert(false, { a: 1 });
other.assert(false);
console.log(text);

require('fs').readFile('/no/such/file', (error) => {
  console.log(error);
  console.log([error.stack]);
});
console.log(new (require('events'))());
console.log(inspect({ signal: new AbortController().signal, event: new Event('x') }, { depth: 0 }));
