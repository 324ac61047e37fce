'use strict';
// process, os and console where they are asked for something odd.
const os = require('os');
const { Writable } = require('stream');

function tried(name, call) {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}

// The environment is an object like others, with variables in it.
process.env.RONDO_A = 5;
tried('inherited', () => [typeof process.env.hasOwnProperty, process.env.hasOwnProperty('RONDO_A'), 'toString' in process.env]);
tried('text', () => process.env.RONDO_A);
tried('missing', () => [process.env.RONDO_NONE, 'RONDO_NONE' in process.env, delete process.env.RONDO_NONE]);
tried('symbol', () => { process.env[Symbol('x')] = 1; });
tried('symbol value', () => { process.env.RONDO_A = Symbol('x'); });
tried('accessor', () => Object.defineProperty(process.env, 'RONDO_B', { get: () => 1 }));
tried('half', () => Object.defineProperty(process.env, 'RONDO_B', { value: 'b' }));
tried('whole', () => Object.defineProperty(process.env, 'RONDO_B', { value: 'b', writable: true, enumerable: true, configurable: true }).RONDO_B);
tried('keys', () => Object.keys(process.env).includes('RONDO_B'));
tried('assign', () => Object.assign(process.env, { RONDO_C: 'c' }) === process.env && process.env.RONDO_C);

for (const [name, call] of Object.entries({
  'cpuUsage': () => process.cpuUsage({ user: -1, system: 1 }),
  'cpuUsage type': () => process.cpuUsage({ user: 1, system: 'x' }),
  'cpuUsage object': () => process.cpuUsage(5),
  'kill pid': () => process.kill('x'),
  'kill signal': () => process.kill(process.pid, 'SIGNOTHING'),
  'kill zero': () => process.kill(process.pid, 0),
  'warning': () => process.emitWarning(5),
  'warning type': () => process.emitWarning('x', 5),
  'warning code': () => process.emitWarning('x', 'y', 5),
  'umask': () => process.umask('9'),
  'chdir': () => process.chdir(5),
  'exitCode': () => { process.exitCode = 'x'; },
  'getPriority': () => os.getPriority('x'),
  'getPriority range': () => os.getPriority(2 ** 40),
  'getPriority none': () => os.getPriority(-1),
  'setPriority': () => os.setPriority(0, 'x'),
  'setPriority range': () => os.setPriority(0, 20),
  'primitive': () => [`${os.hostname}` === os.hostname(), os.totalmem > 0, `${os.type}`],
  'userInfo': () => Buffer.isBuffer(os.userInfo({ encoding: 'buffer' }).username),
  'errno': () => [Object.keys(os.constants.errno).length, os.constants.errno.EDQUOT, Object.keys(os.constants.signals).length],
}))
  tried(name, call);
for (const [TMPDIR, TMP, TEMP] of [['/a', '/b', '/c'], ['', '/b', '/c'], ['', '', '/c/'], ['', '', ''], ['/', '', '']]) {
  Object.assign(process.env, { TMPDIR, TMP, TEMP });
  tried('tmpdir', () => os.tmpdir());
}

// Where lines go.
const kept = [];
const stream = new Writable({ write(chunk, encoding, callback) { kept.push(String(chunk)); callback(); } });
console._stdout = stream;
console.log('to another stream');
stream.isTTY = true;
for (const name of ['CI', 'NO_COLOR', 'NODE_DISABLE_COLORS', 'TMUX', 'COLORTERM', 'TERM_PROGRAM']) delete process.env[name]; process.env.TERM = 'xterm';
console.clear();
console.log(1);
process.env.FORCE_COLOR = '0';
console.log(1);
process.env.FORCE_COLOR = '3';
console.log(1);
delete process.env.FORCE_COLOR;
process.env.TERM = 'dumb';
console.clear();
console._stdout = process.stdout;
console.log(JSON.stringify(kept.join('')));

// Warnings.
const warnings = [];
process.on('warning', (warning) => warnings.push(`${warning.name} ${warning.code} ${warning.detail} ${warning.message}`));
let written = 0;
process.stderr.write = () => { written++; return true; };
process.emitWarning('a');
process.emitWarning('b', 'Own', 'CODE');
process.emitWarning('c', { type: 'Own', code: 'X', detail: 'more' });
process.emitWarning('d', () => {});
process.noDeprecation = true;
process.emitWarning('e', 'DeprecationWarning');
process.noDeprecation = false;
setImmediate(() => {
  console.log(warnings, written >= 4);
  process.throwDeprecation = true;
  process.once('uncaughtException', (error) => {
    console.log('thrown', error.message);
    process.reallyExit = (code) => {
      console.log('really', code);
      process.reallyExit = undefined;
    };
    process.on('exit', (code) => console.log('exit', code));
    process.exit(0);
  });
  process.emitWarning('f', 'DeprecationWarning');
});
