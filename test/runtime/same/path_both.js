'use strict';
// path.win32 and path.posix over odd paths that are made up: the first hundred in full, the
// others as a sum of what was answered, so that a difference is seen and where it is.
const path = require('path');

let seed = 7;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % below;
};
const atoms = ['a', 'b', 'foo', 'Foo', '.', '..', '...', '.x', 'x.', 'a.b', 'C:', 'c:', 'D:', 'C:\\', 'C:/', '\\', '/', '\\\\', '//',
  '\\/', '\\\\\\', 'server', 'share', '?', '\\\\?\\', '\\\\.\\', '//?/', '//./', 'UNC', 'CON', 'con:', 'AUX:', 'NUL', 'COM1:', 'LPT1',
  'COM\u00b9:', 'CONIN$:', 'PRN:', '\u00e9', '\u{1f600}', ' ', 'a b', ':', '::', ';', '*', '.\\', '..\\', './', '../', 'a\\', 'a/',
  'C:a', 'c:..', '1:', '@:\\', 'z:/q', 'file.txt', '.txt', '..txt', '', '.:', 'x:y:z', '\u00df'];
const make = () => Array.from({ length: random(6) }, () => atoms[random(atoms.length)]).join('');

// Node 20 takes the beginning of a name for a folder where there is no device.
function isMisjudged(from, to) {
  const first = (name) => path.win32.resolve(name).toLowerCase();
  return !/^[a-z]:/.test(first(from)) || !/^[a-z]:/.test(first(to));
}

process.chdir('/');
for (const rules of ['win32', 'posix']) {
  const now = path[rules];
  let shown = 0;
  let count = 0;
  let sum = 0;
  const ask = (name, ...args) => {
    let answer;
    try {
      answer = JSON.stringify(now[name](...args));
    } catch (error) {
      answer = `${error.code} ${error.message}`;
    }
    for (const character of answer) sum = Math.imul(sum ^ character.codePointAt(0), 16777619);
    if (shown < 1200) console.log(rules, name, JSON.stringify(args), answer);
    if (++shown % 500 === 0) {
      console.log(rules, ++count, name, sum);
      sum = 0;
    }
  };
  for (let round = 0; round < 3000; round++) {
    const [x, y, z] = [make(), make(), make()];
    for (const name of ['normalize', 'dirname', 'basename', 'extname', 'isAbsolute', 'parse', 'toNamespacedPath', 'resolve']) ask(name, x);
    ask('basename', x, y.slice(-3));
    ask('basename', x, x.slice(-random(5)));
    ask('join', x, y);
    ask('join', x, y, z);
    ask('resolve', x, y);
    ask('resolve', x, y, z);
    for (const [from, to] of [[x, y], [x, x + y], [y + x, y]])
      if (rules === 'posix' || !isMisjudged(from, to)) ask('relative', from, to);
    const { dir, root, name, ext } = now.parse(x);
    ask('format', { dir, root, name, ext: ext.slice(1) });
    ask('format', { dir: y, base: z });
    ask('format', { root: y, name: z, ext: x.slice(0, 2) });
  }
  shown = 0;
  for (const name of ['normalize', 'dirname', 'basename', 'extname', 'isAbsolute', 'parse', 'toNamespacedPath', 'join', 'resolve',
    'relative', 'format'])
    for (const bad of [undefined, null, 1, {}, []]) {
      ask(name, bad);
      ask(name, 'a', bad);
      ask(name, bad, 'a');
      ask(name, bad, name === 'resolve' ? 'C:\\a' : '/a');
      ask(name, bad, '/a');
    }
  console.log(Object.keys(now).filter((name) => name !== 'matchesGlob').sort().join(), now.win32.posix === path, now.posix.win32 === path.win32);
}
console.log(require('path/win32') === path.win32, require('path/posix') === path, require('node:path').sep);
