'use strict';
// spawn: streams, ends, errors, signals.
const { spawn } = require('child_process');
const log = (...args) => console.log(...args);
const collect = (stream) => {
  let text = '';
  stream.setEncoding('utf8').on('data', (more) => { text += more; });
  return () => text;
};
const steps = [
  (next) => {
    const child = spawn('sh', ['-c', 'echo to stdout; echo to stderr >&2; exit 3']);
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    log(typeof child.pid, child.exitCode, child.signalCode, child.killed, child.connected, child.spawnfile, child.spawnargs);
    child.on('spawn', () => log('spawn'));
    child.on('exit', (code, signal) => log('exit', code, signal));
    child.on('close', (code, signal) => {
      log('close', code, signal, JSON.stringify(out()), JSON.stringify(err()), child.exitCode);
      next();
    });
  },
  (next) => {
    const child = spawn('cat');
    const out = collect(child.stdout);
    child.stdin.write('one ');
    child.stdin.end('two');
    child.on('close', (code) => { log('cat', code, out()); next(); });
  },
  (next) => {
    const child = spawn('/no/such/program', ['x']);
    log(child.pid);
    child.on('error', (error) => log(error.message, error.code, error.errno, error.syscall, error.path, error.spawnargs));
    child.on('close', (code, signal) => { log('close', code, signal); next(); });
  },
  (next) => {
    const child = spawn('sleep', ['600']);
    child.on('exit', (code, signal) => { log('killed', code, signal, child.killed, child.signalCode, child.kill()); });
    child.on('close', () => next());
    log(child.kill('SIGKILL'));
  },
  (next) => {
    const child = spawn('sleep', ['600'], { timeout: 20, killSignal: 'SIGINT' });
    child.on('exit', (code, signal) => { log('timed out', code, signal); next(); });
  },
  (next) => {
    const control = new AbortController();
    const child = spawn('sleep', ['600'], { signal: control.signal });
    child.on('error', (error) => log(error.name, error.code, error.message));
    child.on('exit', (code, signal) => { log('aborted', code, signal); next(); });
    setTimeout(() => control.abort(), 10);
  },
  (next) => {
    const child = spawn('echo $RONDO_TEST; pwd', { shell: true, env: { ...process.env, RONDO_TEST: 'in the environment' }, cwd: '/' });
    const out = collect(child.stdout);
    child.on('close', () => { log(out()); next(); });
  },
  (next) => {
    const child = spawn('sh', ['-c', 'echo inherited; echo $0'], { stdio: ['ignore', 'inherit', 'ignore'], argv0: 'other' });
    child.on('close', (code) => {
      log(child.stdin, child.stdout, child.stderr, child.stdio, 'close', code);
      next();
    });
  },
  (next) => {
    const child = spawn('sh', ['-c', 'echo third >&3; read x <&4; echo got $x'], { stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] });
    const third = collect(child.stdio[3]);
    const out = collect(child.stdout);
    child.stdio[4].end('fourth\n');
    child.on('close', () => { log(third(), out()); next(); });
  },
  (next) => {
    const child = spawn('true');
    child.on('exit', () => child.stdin.write('x', () => {}));
    child.stdin.on('error', () => {});
    child.on('close', () => { log('stdin after the end'); next(); });
  },
];
let at = 0;
(function next() {
  if (at < steps.length) steps[at++](next);
})();
for (const call of [() => spawn(''), () => spawn(5), () => spawn('a', 5), () => spawn('a', [], 5), () => spawn('a', { cwd: 5 }),
  () => spawn('a', { stdio: 'x' }), () => spawn('a\0'), () => spawn('a', { shell: 5 }), () => spawn('a', { timeout: -1 }),
  () => spawn('sleep', ['0']).kill('SIGNOTHING')])
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
