'use strict';
// fs: which of several wrong arguments an error names, and what it says.

const fs = require('fs');

const wrong = Symbol('wrong');
const codeOf = (error) => `${error.code ?? error.name} ${/"([\w.]+)"/.exec(error.message)?.[1] ?? error.message.slice(0, 40)}`;
for (const name of Object.keys(fs).filter((each) => typeof fs[each] === 'function' && fs[`${each}Sync`] && each !== 'close').sort()) {
  const row = [];
  for (const args of [[], [wrong], [wrong, wrong], [wrong, wrong, wrong], [null, null, null, null, null], [987654, wrong, wrong, wrong, wrong],
    ['/nonexistent/x', wrong, wrong, wrong], ['/nonexistent/x', '/nonexistent/y', wrong, wrong]]) {
    try {
      fs[name](...args);
      row.push('taken');
    } catch (error) {
      row.push(codeOf(error));
    }
  }
  console.log(name, row.join(' | '));
}

function tried(call) {
  try {
    console.log('taken', call());
  } catch (error) {
    console.log(error.code, error.message, String(error) === error.stack.split('\n    at')[0]);
  }
}
const unheard = () => {};
for (const value of [Symbol('x'), null, {}, 'abc', NaN, Infinity, '5', true, undefined, [], 1n]) {
  tried(() => fs.futimesSync(1e6, value, 0));
  tried(() => fs.utimesSync('/nonexistent', 0, value));
  tried(() => fs._toUnixTimestamp(value, 'name'));
  tried(() => fs.rm(value, unheard));
  tried(() => fs.rm(value, 5, unheard));
  tried(() => fs.rm('/nonexistent', value, unheard));
  tried(() => fs.open('/nonexistent', value, unheard));
  tried(() => fs.open('/nonexistent', 'r', value, unheard));
}
for (const value of [Symbol('x'), null, {}, 'abc', NaN, 1.5, '5', true, undefined, [], 1n]) {
  tried(() => fs.truncate('/nonexistent', value, unheard));
  tried(() => fs.ftruncate(1e6, value, unheard));
  tried(() => fs.ftruncateSync(1e6, value));
  tried(() => fs.readSync(0, Buffer.alloc(1), value === undefined ? 5 : value));
  if (value !== true) tried(() => fs.watch('/', { recursive: value || 'x' }));
}
process.on('uncaughtException', unheard);
