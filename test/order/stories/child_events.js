'use strict';
// A child's life: spawn in a tick, output, exit, close. A process of the child's holds the output open until the
// parent, after the exit, has closed the input: so the output always ends after the exit.
const { spawn } = require('child_process');
const log = (...args) => console.log(...args);
const child = spawn('sh', ['-c', 'echo text; exec 3<&0; cat <&3 & exit 7']);
child.on('spawn', () => {
  log('spawn');
  process.nextTick(() => log('tick of spawn'));
});
child.stdout.setEncoding('utf8');
let text = '';
child.stdout.on('data', (more) => { text += more; });
child.on('exit', (code) => {
  log('exit', code);
  process.nextTick(() => log('tick of exit'));
  Promise.resolve().then(() => log('microtask of exit'));
});
child.on('close', (code) => {
  log('close', code, text.trim());
  setImmediate(() => log('immediate of close'));
  process.nextTick(() => log('tick of close'));
});
log('main');
process.nextTick(() => log('tick'));
Promise.resolve().then(() => log('microtask'));
