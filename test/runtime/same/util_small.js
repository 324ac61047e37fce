'use strict';
// The small functions of util: styles, control characters, names of errors, environment files.
const util = require('util');
const fs = require('fs');
const os = require('os');
const path = require('path');

function attempt(label, work) {
  try {
    console.log(label, JSON.stringify(work()));
  } catch (error) {
    console.log(label, error.name, error.code, error.message);
  }
}
delete process.env.FORCE_COLOR;
for (const value of [undefined, null, 1, 'x', 'a\u001b[31mb\u001b[39m', {}, '\u001b]8;;http://x\u0007l\u001b]8;;\u0007'])
  attempt('strip', () => util.stripVTControlCharacters(value));
for (const value of [undefined, null, 1, 'x', '\ud800a\udc00', '\u{1f600}', {}]) attempt('usv', () => util.toUSVString(value));
const notChecked = { validateStream: false };
for (const [format, text, options] of [['red', 'x'], [['bold', 'red'], 'x'], ['nope', 'x'], [1, 'x'], ['red', 1], [[], 'x'],
  [['nope'], 'x'], ['red', 'x', notChecked], [['red', 'bgBlue'], 'x', notChecked], ['red', 'x', { stream: 1 }],
  ['red', 'x', { validateStream: 1 }], ['red', 'x', { stream: process.stderr }], ['red', 'x\u001b[39my', notChecked]])
  attempt(`style ${format}`, () => util.styleText(format, text, options));
process.env.FORCE_COLOR = '1';
attempt('forced', () => util.styleText('red', 'x'));
process.env.FORCE_COLOR = '0';
attempt('forbidden', () => util.styleText('red', 'x'));
for (const value of [-2, -1, 0, 2, -9999, 'x', undefined, null, 1.5, -1.5]) attempt('name', () => util.getSystemErrorName(value));
const map = util.getSystemErrorMap();
console.log([...map].slice(0, 6), map.get(-2), map.get(-4095), map.get(-3008), map.get(0), map.size > 80);
attempt('controller', () => util.transferableAbortController() instanceof AbortController);
for (const value of [undefined, null, 1, {}]) attempt('signal', () => util.transferableAbortSignal(value));

const texts = ['', 'A=1', 'A=1\nB=2', 'A = 1 ', '  A=1', 'export A=1', 'exportA=1', 'A=', 'A', '=1', 'A="x y"', 'A="x\ny"', 'A="x\\ny"',
  "A='x\\ny'", 'A=`a\nb"\'`', 'A="unclosed\nB=2', 'A=x # comment', 'A="x" # c', 'A=x#y', '#c\nA=1', 'A=1\r\nB=2\r\n', 'A="x#y"',
  'A="x\\"y"', 'A="a"b', 'A=a"b"', 'A==b', 'A.B=1', '1A=2', 'A="  x  "', 'A=1\nA=2', 'A="1" B=2', '\n\n A=1\n\n', 'A=\nB=1',
  'A= #c\nB=1', 'A="\nB=1', "A=''", 'A="\\t\\r\\n"', 'A=\\n', 'A:1', 'A="a\r\nb"', 'A=1 # "q"', 'A="x\n#y"\nB=2', 'A=$B', 'A=1\t#c',
  'A="a"  \n  B  =  "b"  '];
for (const text of texts) attempt(JSON.stringify(text), () => util.parseEnv(text));
for (const value of [undefined, null, 1]) attempt('not a text', () => util.parseEnv(value));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'env-'));
fs.writeFileSync(path.join(folder, '.env'), 'RONDO_TEST_A=new\nRONDO_TEST_B=set');
process.env.RONDO_TEST_A = 'old';
process.chdir(folder);
process.loadEnvFile();
console.log(process.env.RONDO_TEST_A, process.env.RONDO_TEST_B);
attempt('no such file', () => process.loadEnvFile('none'));
fs.rmSync(folder, { recursive: true });
console.log(Object.keys(process.resourceUsage()).join(), Array.isArray(process.getgroups()), `${process}`, `${Symbol.dispose.toString()}`);
console.log(Buffer.from('\u00e9').hexSlice(), Buffer.from('abc').utf8Slice(1, 2), Buffer.alloc(4).latin1Write('\u00e9x', 1));

// The code of an error of ours shows in its text, also after its name and message changed.
try {
  Buffer.alloc('x');
} catch (error) {
  console.log(String(error));
  Object.assign(error, { name: 'Changed', message: 'words', code: 'OTHER' });
  console.log(String(error), Object.keys(error), error.constructor === TypeError);
}
