'use strict';
// tty, as far as that goes without a terminal: questions, colours, what cursor functions write.
const tty = require('tty');
const fs = require('fs');
const constants = require('constants');

console.log(Object.keys(tty).sort().join(), [0, -1, 1.5, 'x', undefined, 2 ** 40, 500000].map((fd) => tty.isatty(fd)).join());
for (const make of [() => tty.WriteStream(-1), () => new tty.ReadStream('x'), () => new tty.WriteStream(fs.openSync('/dev/null')),
  () => tty.ReadStream(fs.openSync('/dev/null'))])
  try {
    make();
  } catch (error) {
    console.log(error.name, error.code, error.message, error.errno, error.syscall);
  }

const { prototype } = tty.WriteStream;
const environments = [
  {}, { TERM: 'dumb' }, { TERM: 'xterm' }, { TERM: 'xterm-256color' }, { TERM: 'XTERM-256' }, { TERM: 'screen' }, { TERM: 'linux' },
  { TERM: 'vt100' }, { TERM: 'vt52' }, { TERM: 'mosh' }, { TERM: 'terminator' }, { TERM: 'xterm-kitty' }, { TERM: 'ansi.sys' },
  { TERM: 'con132x24' }, { TERM: 'rxvt-unicode-24bit' }, { TERM: 'putty' }, { TERM: 'fail' }, { COLORTERM: 'truecolor' },
  { COLORTERM: '24bit' }, { COLORTERM: '1' }, { TMUX: '1' }, { TMUX: '' }, { CI: '' }, { CI: '1', TRAVIS: '' }, { CI: '1', CIRCLECI: '1' },
  { CI: '1', GITLAB_CI: '' }, { CI: '1', GITHUB_ACTIONS: '' }, { CI: '1', DRONE: '1' },
  { CI: '1', BUILDKITE: '1' }, { CI: '1', APPVEYOR: '1' }, { TF_BUILD: '1', AGENT_NAME: 'x' }, { TEAMCITY_VERSION: '9.1.0' },
  { TEAMCITY_VERSION: '8.0' }, { TEAMCITY_VERSION: '10.0' }, { TERM_PROGRAM: 'iTerm.app' },
  { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0' }, { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '2.0' },
  { TERM_PROGRAM: 'HyperTerm' }, { TERM_PROGRAM: 'Apple_Terminal' }, { TERM_PROGRAM: 'Hyper' }, { NO_COLOR: '1', TERM: 'xterm' },
  { NO_COLOR: '', TERM: 'xterm' }, { NODE_DISABLE_COLORS: '1', TERM: 'xterm' }, { FORCE_COLOR: '0', TERM: 'xterm' }, { FORCE_COLOR: '' },
  { FORCE_COLOR: '1' }, { FORCE_COLOR: '2' }, { FORCE_COLOR: '3' }, { FORCE_COLOR: 'true' }, { FORCE_COLOR: '4' },
];
for (const env of environments)
  console.log(JSON.stringify(env), prototype.getColorDepth(env), [2, 16, 256, 257, 2 ** 24].map((n) => prototype.hasColors(n, env)).join());
for (const bad of ['x', 1, 0, 1.5, null])
  try {
    console.log(prototype.hasColors(bad, {}));
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }

// What is written for each movement.
const log = [];
const screen = { write(text, callback) { log.push(text); callback?.(); return 'written'; } };
for (const [name, ...args] of [['cursorTo', 3], ['cursorTo', 3, 4], ['cursorTo', 0, 0], ['cursorTo', 'a'], ['cursorTo', 'a', 3],
  ['cursorTo', NaN], ['cursorTo', 1, NaN], ['cursorTo', 1, 2, 5], ['moveCursor', 2, 3], ['moveCursor', -2, -3], ['moveCursor', 0, 0],
  ['moveCursor', 1, 0, null], ['clearLine', -1], ['clearLine', 0], ['clearLine', 1], ['clearLine', 0, 'x'], ['clearScreenDown'],
  ['clearScreenDown', 5], ['getWindowSize']]) {
  let result;
  try {
    result = prototype[name].call(screen, ...args);
  } catch (error) {
    result = `${error.code} ${error.message}`;
  }
  console.log(name, JSON.stringify(args), result, JSON.stringify(log.splice(0)));
}
prototype.cursorTo.call(screen, 1, (...args) => console.log('called back', args.length));
prototype.moveCursor.call(screen, 0, 0, (...args) => console.log('called back', args));

console.log(process.stdout.isTTY, process.stdout instanceof tty.WriteStream, constants.ENOENT, constants.SIGTERM, constants.O_APPEND,
  constants.RTLD_LAZY, constants.PRIORITY_LOW, Object.keys(require('os').constants.errno).length);
