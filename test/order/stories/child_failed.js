'use strict';
// A program that isn't there: the error comes in a tick, the close after its streams'.
const { spawn } = require('child_process');
const log = (...args) => console.log(...args);
const child = spawn('/nonexistent');
child.on('error', (error) => {
  log('error', error.code);
  process.nextTick(() => log('tick of error'));
  setImmediate(() => log('immediate of error'));
});
child.on('close', (code) => log('close', code));
child.on('exit', () => log('exit'));
log('main', child.pid);
process.nextTick(() => log('tick'));
Promise.resolve().then(() => log('microtask'));
