// A program may replace what the language comes with; the runtime goes on.
'use strict';
const { writeSync } = require('fs');
const log = (text) => writeSync(1, `${text}\n`);
const bomb = (name) => function () { throw new Error(`the program's ${name} was called`); };

const break_ = (owner, ownerName, names) => {
  for (let i = 0; i < names.length; i++)
    if (owner[names[i]] !== undefined)
      Object.defineProperty(owner, names[i], { value: bomb(`${ownerName}.${String(names[i])}`), writable: true, configurable: true });
};
break_(Array.prototype, 'Array.prototype', ['push', 'shift', 'slice', 'splice', 'map', 'filter', 'forEach', 'includes', 'indexOf', 'join', 'concat', Symbol.iterator]);
break_(Object, 'Object', ['keys', 'entries', 'assign', 'hasOwn', 'getOwnPropertyNames']);
break_(Function.prototype, 'Function.prototype', ['call', 'apply', 'bind']);
break_(Map.prototype, 'Map.prototype', ['get', 'set', 'has', 'delete']);
break_(Set.prototype, 'Set.prototype', ['add', 'has', 'delete']);
break_(RegExp.prototype, 'RegExp.prototype', ['exec', 'test', Symbol.replace]);
break_(JSON, 'JSON', ['parse', 'stringify']);
break_(Math, 'Math', ['max', 'min', 'floor']);

process.nextTick((a, b, c) => log(`tick ${a}${b}${c}`), 1, 2, 3);
process.nextTick(function () { log(`tick this ${this === undefined}`); }, 1);
queueMicrotask(() => log('microtask'));
Promise.resolve().then(() => log('then'));
(async () => {
  await null;
  log('await');
})();
