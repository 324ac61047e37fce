'use strict';
// What the functions of child_process say to each bad option, and which options are theirs.
const cp = require('child_process');

const bad = [
  { uid: 'x' }, { uid: 1.5 }, { gid: 2 ** 32 }, { detached: 1 }, { shell: 1 }, { argv0: 1 }, { cwd: 1 }, { cwd: 'a\0' },
  { argv0: 'a\0' }, { shell: 'a\0' }, { timeout: 'x' }, { timeout: -1 }, { maxBuffer: 'x' }, { maxBuffer: -1 },
  { killSignal: 'x' }, { killSignal: 0 }, { killSignal: null }, { killSignal: {} }, { stdio: 'x' }, { stdio: 5 },
  { stdio: ['x', null, null] }, { stdio: [{}, null, null] }, { input: 5 }, { signal: 5 }, { windowsHide: 5 }, { env: 5 }, { env: { 'a\0b': 1 } },
  { env: { a: '\0' } }, { encoding: 'xx' }, null, 5,
];
const calls = {
  spawn: (o) => cp.spawn('true', [], o),
  spawnSync: (o) => cp.spawnSync('true', [], o),
  execFile: (o) => cp.execFile('true', [], o),
  execFileSync: (o) => cp.execFileSync('true', [], o),
  execSync: (o) => cp.execSync('true', o),
  exec: (o) => cp.exec('true', o),
};
for (const options of bad)
  for (const [name, call] of Object.entries(calls)) {
    const text = JSON.stringify(options);
    try {
      call(options)?.on?.('error', () => {});
      console.log(name, text, 'ok');
    } catch (error) {
      console.log(name, text, error.name, error.code, JSON.stringify(error.message));
    }
  }

const tried = (name, call) => {
  try {
    const result = call();
    console.log(name, typeof result);
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync'])
  for (const args of [[], [5], [''], ['a\0'], ['true', 5], ['true', ['\0']], ['true', 'x'], ['true', [], {}, 5]])
    tried(`${name} ${JSON.stringify(args)}`, () => {
      const child = cp[name](...args);
      child?.on?.('error', () => {});
      return child;
    });
tried('kill', () => new cp.ChildProcess().kill('nothing'));
tried('kill number', () => new cp.ChildProcess().kill(1234));
tried('spawn of a child', () => new cp.ChildProcess().spawn());
tried('spawn of a child', () => new cp.ChildProcess().spawn({ file: 5 }));
tried('spawn of a child', () => new cp.ChildProcess().spawn({ file: 'x', args: 5 }));

// The old way of subclassing.
function Own() {
  cp.ChildProcess.call(this);
}
Object.setPrototypeOf(Own.prototype, cp.ChildProcess.prototype);
const own = new Own();
console.log(own instanceof cp.ChildProcess, own.exitCode, own.killed);

// A call that throws at once does so when promisified, too.
const util = require('util');
for (const call of [cp.exec, cp.execFile]) tried('promisified', () => util.promisify(call)('true', { signal: {} }));
