'use strict';
// A program that has broken the language's own functions still gets its files, children and
// lines: the runtime doesn't stand on what a program can change. (Node does in places, so it
// runs this with nothing broken.)
const fs = require('fs');
const os = require('os');
const path = require('path');
const cp = require('child_process');
const tty = require('tty');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-hostile-'));
const file = `${dir}/f`;
const bytes = Buffer.from('hello world');
// Things are loaded at their first use: in this test before anything is broken, where that
// is other rooms' business (streams, sockets, buffers).
cp.spawnSync('true');
process.stdout.write('');
Promise.all([
  new Promise((resolve) => fs.createWriteStream(`${dir}/warm`).on('close', resolve).end('x')),
  new Promise((resolve) => cp.execFile('true', resolve)),
  fs.promises.readFile(__filename),
]).then(() => setTimeout(broken, 1));

const { defineProperty, getOwnPropertyDescriptor } = Reflect;
const log = console.log;
const throws = (name) => function () { throw new Error(`the program's ${name} was called`); };
const restore = [];
function replace(holder, name, value = throws(typeof name === 'symbol' ? name.description : name)) {
  const before = getOwnPropertyDescriptor(holder, name);
  restore[restore.length] = () => before === undefined ? delete holder[name] : defineProperty(holder, name, before);
  defineProperty(holder, name, { __proto__: null, value, writable: true, configurable: true });
}

function tried(name, call) {
  let text;
  try {
    text = `${call()}`;
  } catch (error) {
    text = `${error.code} ${error.message}`;
  }
  log(`${name}: ${text}`);
}

function broken() {
  if (process.versions.rondo) breakAll();

  tried('write', () => fs.writeFileSync(file, bytes));
  tried('append', () => fs.appendFileSync(file, '!'));
  tried('read', () => fs.readFileSync(file, 'utf8'));
  tried('stat', () => fs.statSync(file).size);
  tried('exists', () => fs.existsSync(file) && !fs.existsSync(`${file}x`));
  tried('mkdir', () => fs.mkdirSync(`${dir}/a/b`, { recursive: true }) === `${dir}/a`);
  tried('readdir', () => fs.readdirSync(dir).length);
  tried('recursive readdir', () => fs.readdirSync(dir, { recursive: true }).length);
  tried('cp', () => fs.cpSync(file, `${dir}/g`));
  tried('rm', () => fs.rmSync(`${dir}/a`, { recursive: true }));
  tried('rename', () => fs.renameSync(`${dir}/g`, `${dir}/h`));
  tried('realpath', () => fs.realpathSync(file) === file);
  tried('fd', () => {
    const fd = fs.openSync(file, 'r+');
    const count = fs.writeSync(fd, bytes, 0, 3, 0) + fs.writevSync(fd, [bytes, bytes]) + fs.readSync(fd, bytes, 0, 2, 0);
    fs.closeSync(fd);
    return count;
  });
  tried('enoent', () => fs.openSync('/no/such'));
  tried('bad', () => fs.openSync(5));
  tried('opendir', () => {
    const open = fs.opendirSync(dir);
    const { name } = open.readSync();
    open.closeSync();
    return typeof name;
  });
  tried('spawnSync', () => cp.spawnSync('/bin/sh', ['-c', 'echo $A'], { env: { A: 'b' } }).stdout);
  tried('execFileSync', () => cp.execFileSync('/bin/echo', ['$(echo no)'], { stdio: 'pipe' }));
  tried('execSync', () => cp.execSync('echo a b', { stdio: 'pipe' }));
  tried('bad spawn', () => cp.spawnSync('x', { shell: 5 }));
  tried('env', () => {
    process.env.RONDO_X = 'y';
    return process.env.RONDO_X + ('RONDO_X' in process.env) + delete process.env.RONDO_X;
  });
  tried('hrtime', () => process.hrtime().length);
  tried('usage', () => typeof process.resourceUsage().maxRSS);
  tried('os', () => typeof os.hostname() + typeof os.getPriority());
  tried('tty', () => tty.isatty(0) || tty.WriteStream.prototype.getColorDepth({ TERM: 'xterm' }));
  console.log('a line');
  console.group();
  console.log('another');
  console.groupEnd();
  console.count();

  fs.stat(file, (error, stats) => {
    log(`callback ${error} ${stats.size}`);
    fs.readFile(file, (failed, content) => {
      log(`file ${failed} ${content.length}`);
      fs.readdir(dir, (none, list) => {
        log(`list ${none} ${list.length}`);
        for (let i = restore.length - 1; i >= 0; i--) restore[i]();
        fs.rmSync(dir, { recursive: true });
      });
    });
  });
}

function breakAll() {
  const names = {
    array: ['push', 'pop', 'shift', 'slice', 'concat', 'join', 'map', 'forEach', 'includes', 'some', 'every', 'find', 'filter', 'reduce',
      Symbol.iterator],
    object: ['keys', 'entries', 'assign', 'fromEntries', 'defineProperty', 'create', 'freeze', 'getOwnPropertyDescriptor'],
    string: ['includes', 'split', 'replace', 'replaceAll', 'startsWith', 'endsWith', 'indexOf', 'toUpperCase', 'toLowerCase', 'trim'],
  };
  for (let i = 0; i < names.array.length; i++) replace(Array.prototype, names.array[i]);
  for (let i = 0; i < names.string.length; i++) replace(String.prototype, names.string[i]);
  for (let i = 0; i < names.object.length; i++) replace(Object, names.object[i]);
  replace(Array, 'isArray');
  replace(Number, 'isInteger');
  replace(Promise, 'resolve');
  replace(RegExp.prototype, 'exec');
  replace(Map.prototype, 'get');
  replace(Set.prototype, 'has');
  replace(Function.prototype, 'call');
  replace(Function.prototype, 'apply');
  replace(Function.prototype, 'bind');
  pollute(['shell', 'cwd', 'env', 'get', 'set', 'value', 'code', 'uid', 'stdio']);
}

// Every object gets these, with values that would be noticed.
function pollute(list) {
  for (let i = 0; i < list.length; i++) replace(Object.prototype, list[i], 'polluted');
}
