'use strict';
// fs.cp: what it refuses, with which error.

const fs = require('fs');
const path = require('path');
const { inspect } = require('util');

const base = fs.mkdtempSync('/tmp/rondo-copy-');
process.chdir(base);
const folder = (name) => fs.mkdirSync(name, { recursive: true });
const plain = (text) => text.replaceAll(base, 'BASE');

function show(error) {
  const facts = { name: error.name, message: error.message, code: error.code };
  for (const key of ['info', 'errno', 'syscall', 'path', 'dest']) if (key in error) facts[key] = error[key];
  console.log(plain(inspect(facts, { depth: 3, breakLength: 200 })), plain(String(error)), Object.keys(error), error instanceof TypeError);
}

function tried(name, call) {
  console.log('---', name);
  try {
    call();
    console.log('copied');
  } catch (error) {
    show(error);
  }
}

folder('a/b');
folder('d');
fs.writeFileSync('f', 'x');
fs.writeFileSync('g', 'y');
require('child_process').execSync('mkfifo fifo');
fs.symlinkSync(path.resolve('d'), 'a/link');
tried('onto itself', () => fs.cpSync('a', 'a', { recursive: true }));
tried('into itself', () => fs.cpSync('a', 'a/b/c', { recursive: true }));
tried('a folder', () => fs.cpSync('a', 'd'));
tried('a folder onto a file', () => fs.cpSync('a', 'f', { recursive: true }));
tried('a file onto a folder', () => fs.cpSync('f', 'a'));
tried('onto a file', () => fs.cpSync('f', 'g', { force: false, errorOnExist: true }));
tried('onto a file, unless it is there', () => fs.cpSync('f', 'g', { force: false }));
tried('a pipe', () => fs.cpSync('fifo', 'h'));
tried('a device', () => fs.cpSync('/dev/null', 'h'));
tried('nothing', () => fs.cpSync('nope', 'h'));
folder('s1');
folder('s2');
fs.symlinkSync(path.resolve('s2'), 's1/link');
tried('a link', () => fs.cpSync('s1', 's2', { recursive: true }));
tried('a link again', () => fs.cpSync('s1', 's2', { recursive: true }));
folder('p/a/b');
fs.symlinkSync(path.resolve('p/a/b'), 'p/a/c');
folder('q/a');
fs.symlinkSync(path.resolve('p'), 'q/a/c');
tried('a link over the way to it', () => fs.cpSync('p', 'q', { recursive: true }));
folder('z/y');
fs.symlinkSync(path.resolve('z'), 'zl');
tried('into itself by a link', () => fs.cpSync('z/y', 'zl/y/x', { recursive: true }));
tried('options that exclude each other', () => fs.cpSync('a', 'a', { dereference: true, verbatimSymlinks: true }));
tried('a promise of a filter', () => fs.cpSync('f', 'n', { filter: async () => true }));
tried('rm of a folder', () => fs.rmSync('a'));
fs.chmodSync('a', 0o750);
fs.cpSync('a', 'modes', { recursive: true });
console.log((fs.statSync('modes').mode & 0o777).toString(8), fs.readFileSync('g', 'utf8'), fs.readlinkSync('modes/link').replace(base, 'BASE'));
fs.cp('a', 'filtered', { recursive: true, filter: async (from) => !from.endsWith('link') }, (error) => {
  console.log(error, fs.readdirSync('filtered'));
  fs.cp('a', 'f', { recursive: true }, (error) => {
    show(error);
    fs.promises.cp('f', 'f').catch(show).then(() => fs.rmSync(base, { recursive: true }));
  });
});
