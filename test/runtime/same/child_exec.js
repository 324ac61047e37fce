'use strict';
// exec, execFile and what waits for the end.
const { exec, execFile, execSync, execFileSync, spawnSync } = require('child_process');
const { promisify } = require('util');
const log = (...args) => console.log(...args);
const show = (error) => error === null ? null : JSON.stringify({ message: error.message, ...error });
const steps = [
  (next) => exec('echo out; echo err >&2', (error, stdout, stderr) => { log(show(error), stdout, stderr); next(); }),
  (next) => exec('echo before; exit 5', (error, stdout) => { log(show(error), stdout); next(); }),
  (next) => exec('echo bad >&2; kill -9 $$', (error, stdout, stderr) => { log(show(error), stderr); next(); }),
  (next) => execFile('printf', ['%s-', 'a', 'b'], (error, stdout) => { log(show(error), stdout); next(); }),
  (next) => execFile('/no/such/file', ['q'], (error, stdout, stderr) => { log(show(error), JSON.stringify(stdout), JSON.stringify(stderr)); next(); }),
  (next) => execFile('printf', ['abc'], { encoding: 'buffer' }, (error, stdout) => { log(stdout); next(); }),
  (next) => exec('sleep 600', { timeout: 20 }, (error) => { log(error.killed, error.signal, error.code, error.message); next(); }),
  (next) => exec('yes', { maxBuffer: 50 }, (error, stdout) => { log(error.name, error.code, error.message, stdout.length); next(); }),
  (next) => promisify(exec)('echo promised').then((value) => { log(value); next(); }),
  (next) => promisify(execFile)('false').catch((error) => { log(error.code, error.stdout === '', error.cmd); next(); }),
  (next) => { exec('cat', (error, stdout) => { log(stdout); next(); }).stdin.end('through cat'); },
];
let at = 0;
(function next() {
  if (at < steps.length) steps[at++](next);
  else waiting();
})();
function waiting() {
  log(execSync('echo sync').toString(), execSync('echo text', { encoding: 'utf8' }));
  log(execFileSync('cat', { input: 'given', encoding: 'utf8' }));
  for (const call of [
    () => execSync('echo nothing good >&2; exit 4', { stdio: 'pipe' }),
    () => execFileSync('/no/such/file'),
    () => execSync('sleep 600', { timeout: 30, stdio: 'ignore' }),
    () => execFileSync('sh', ['-c', 'exit 2'], { stdio: 'pipe' }),
    () => execSync('yes', { maxBuffer: 10, stdio: 'pipe' }),
  ])
    try {
      log(call());
    } catch (error) {
      log(error.message, error.code, error.status, error.signal, error.syscall);
    }
  const result = spawnSync('sh', ['-c', 'cat; echo e >&2; exit 1'], { input: Buffer.from('in') });
  log(Object.keys(result).join(), result.status, result.signal, result.stdout.toString(), result.stderr.toString(), result.output.length);
  log(spawnSync('/none').error.message, spawnSync('/none').status, spawnSync('/none').stdout);
  log(spawnSync('sh', ['-c', 'kill -15 $$']).signal);
  log(spawnSync('printf', ['%s', 'x'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).output);
}
