'use strict';
// What a child gets: its environment, its directory and its descriptors, whoever starts it,
// and nothing that was put on Object.prototype.
const cp = require('child_process');
const log = (...args) => console.log(...args);
const text = (value) => JSON.stringify(`${value}`);
// Under `rondo sim` a child also gets the settings by which it joins the simulation.
const settings = process.env.RONDO_SIM ? /^(RONDO_SIM|RONDO_ADOPT|LD_PRELOAD|LD_LIBRARY_PATH|JSC_useConcurrentGC)=.*\n/gm : /^$/;
const whole = (value) => text(`${value}`.replace(settings, ''));

process.env.RONDO_TEST_A = 'of the parent';
const env = { RONDO_TEST_A: 'a', N: 5, U: undefined, E: '', NULL: null };
const print = ['-c', 'echo "$RONDO_TEST_A|$N|${U-unset}|${E-unset}|$NULL"'];
log('spawnSync', text(cp.spawnSync('/bin/sh', print, { env }).stdout));
log('execFileSync', text(cp.execFileSync('/bin/sh', print, { env })));
log('execSync', text(cp.execSync(print[1], { env })));
log('without', text(cp.execSync(print[1])));
log('own', text(cp.spawnSync('/bin/sh', print, { env: process.env }).stdout));
log('spread', text(cp.spawnSync('/bin/sh', print, { env: { ...process.env, N: 1 } }).stdout));
log('whole', whole(cp.spawnSync('/usr/bin/env', [], { env: { A: '1', B: '2' } }).stdout));
log('inherited', whole(cp.spawnSync('/usr/bin/env', [], { env: Object.create({ FOO: 'BAR' }) }).stdout));
log('empty', whole(cp.spawnSync('/usr/bin/env', [], { env: {} }).stdout));

for (const cwd of ['/', new URL('file:///'), undefined, null])
  log('cwd', `${cwd}`, `${cp.spawnSync('pwd', { cwd }).stdout}`.trim() === (cwd ? '/' : process.cwd()));
log('empty cwd', typeof cp.spawn('pwd', { cwd: '' }).pid);
log('no such cwd', cp.spawnSync('pwd', { cwd: '/no/such' }).error.code);

// What is too much is told, and what was read is kept.
const said = 'hello world\n';
for (const maxBuffer of [1, said.length - 1, said.length, Infinity, 0]) {
  const { stdout, status, error } = cp.spawnSync('echo', [said.trim()], { maxBuffer, killSignal: 'SIGKILL' });
  log('maxBuffer', maxBuffer, text(stdout), error?.code, error === undefined && status);
}
try {
  cp.execFileSync('echo', ['hello world'], { maxBuffer: 1 });
} catch (error) {
  log(error.code, text(error.stdout), Object.keys(error).join());
}
try {
  cp.execFileSync('sh', ['-c', 'exit 3'], { stdio: 'pipe' });
} catch (error) {
  log(error.message, Object.keys(error).join());
}

// Object.prototype has no say.
const seen = [
  ['shell', true, () => cp.spawnSync('/bin/echo', ['$(echo X)']).stdout],
  ['shell', '/bin/sh', () => cp.execFileSync('/bin/echo', ['$(echo X)'])],
  ['env', { X: 'X' }, () => cp.spawnSync('/usr/bin/env').stdout.includes('X=X')],
  ['cwd', '/etc', () => `${cp.spawnSync('pwd').stdout}`.trim() === process.cwd()],
  ['cwd', '/etc', () => `${cp.execSync('pwd')}`.trim() === process.cwd()],
  ['uid', 12345, () => cp.spawnSync('id', ['-u']).stdout.toString().trim() === `${process.getuid()}`],
  ['argv0', 'X', () => cp.spawnSync('/bin/sh', ['-c', 'echo $0']).stdout],
  ['stdio', 'inherit', () => cp.spawnSync('/bin/echo', ['x']).stdout],
  ['timeout', 1, () => cp.spawnSync('sleep', ['0.05']).signal],
  ['maxBuffer', 1, () => cp.spawnSync('/bin/echo', ['x']).stdout],
  ['encoding', 'hex', () => typeof cp.execSync('echo x')],
  ['detached', true, () => cp.spawnSync('/bin/echo', ['x']).stdout],
  ['fd', 1, () => cp.spawnSync('/bin/echo', ['x']).stdout],
];
for (const [name, value, call] of seen) {
  Object.prototype[name] = value;
  let result;
  try {
    result = call();
  } catch (error) {
    result = error.code;
  }
  delete Object.prototype[name];
  log('Object.prototype', name, text(result));
}

// One child's output is another's input: the parent takes nothing of it.
let bad = 0;
let left = 10;
(function next() {
  if (left-- === 0) {
    log('handed over', bad);
    steps();
    return;
  }
  const first = cp.spawn('head', ['-c', '1048576', '/dev/zero']);
  const second = cp.spawn('wc', ['-c'], { stdio: [first.stdout, 'pipe', 'inherit'] });
  let count = '';
  second.stdout.on('data', (data) => { count += data; });
  second.on('close', () => {
    if (count.trim() !== '1048576') bad++;
    first.stdout.destroy();
    next();
  });
})();

function steps() {
  const child = cp.exec('echo hello', { encoding: null }, (error, out) => {
    log('text after all', error, text(out));
    cp.exec('echo hello', { encoding: null }, (none, bytes) => {
      log('bytes', none, bytes);
      cp.execFile('echo', ['0123456789'], { maxBuffer: 4 }, (full, some) => {
        log(full.code, full.message, text(some));
        cp.execFile('/usr/bin/env', [], { env: { A: '1' } }, (no, all) => log('async', no, whole(all)));
      });
    });
  });
  child.stdout.setEncoding('utf8');
}
