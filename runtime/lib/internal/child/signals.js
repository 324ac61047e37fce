'use strict';
// Signals by name and by number.

const { over } = intrinsics;
const numbers = { __proto__: null, ...native('signals').numbers };
const names = new Map();
for (const name in numbers) names.set(numbers[name], name);
// Where two names have one number, the usual name wins.
for (const name of over(['SIGABRT', 'SIGIO'])) if (name in numbers) names.set(numbers[name], name);

module.exports = { names, numbers };
