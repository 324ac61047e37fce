'use strict';
// What a program finds and does that Node allows: constants with a prototype, getters that an import leaves
// alone, a signal that is aborted while a file is read, process.emit taken away.
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const constants = require('constants');
console.log(Object.getPrototypeOf(constants) === Object.prototype, constants.hasOwnProperty('O_RDONLY'), Object.isFrozen(constants));

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'given-'));
const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
const run = (...words) => {
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', cwd: folder });
  console.log(status, JSON.stringify(stdout));
};

write('getters.js', `
const other = { p: 7 };
const z = 5;
const define = (name, get) => Object.defineProperty(exports, name, { enumerable: true, get });
Object.defineProperty(exports, 'fails', { enumerable: true, get() { console.log('fails runs'); throw new Error('no'); } });
Object.defineProperty(exports, 'prints', { enumerable: true, get() { console.log('prints runs'); return 1; } });
Object.defineProperty(exports, 'a', { enumerable: true, get: function () { return other.p; } });
Object.defineProperty(exports, 'b', { enumerable: true, get: function get() { return z; } });
Object.defineProperty(exports, 'c', { enumerable: true, get() { return z } });
Object.defineProperty(exports, 'd', { enumerable: true, get: function () { return other['p']; } });
Object.defineProperty(exports, 'gone', { enumerable: true, get: function () { return nowhere.p; } });
exports.plain = 2;
`);
write('import.mjs', `
import * as all from './getters.js';
console.log(Object.keys(all).join(), all.a, all.b, all.c, all.d, all.gone, all.plain, all.fails, all.prints);
`);
run('import.mjs');
write('listed.js', `
const names = { foo: () => 1, late: () => { return String(2); } };
const found = {};
for (const name in names) Object.defineProperty(found, name, { get: names[name], enumerable: true });
module.exports = found;
0 && (module.exports = { foo, late });
`);
write('list.mjs', "import * as all from './listed.js';\nconsole.log(Object.keys(all).join(), all.foo, all.late);\n");
run('list.mjs');

for (const end of ['process.exitCode = 3', 'setTimeout(() => console.log("late"), 1)', 'process.emit = {}'])
  run('-e', `process.emit = null; ${end}`);

let inside = false;
const late = (title, done) => (error) => {
  console.log(title, error.name, error.code, inside);
  done();
};
const reading = new AbortController();
fs.readFile(__filename, { signal: reading.signal }, late('read', () => {
  const writing = new AbortController();
  fs.writeFile(path.join(folder, 'new'), 'x', { signal: writing.signal }, late('write', () => {
    fs.readFile(__filename, { signal: AbortSignal.abort() }, late('before', () => {
      fs.rmSync(folder, { recursive: true });
    }));
  }));
  inside = true;
  writing.abort();
  inside = false;
}));
inside = true;
reading.abort();
inside = false;
console.log('after abort');
