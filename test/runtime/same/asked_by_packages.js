'use strict';
// Small things that widely used packages ask for, and that once were otherwise.
const first = [RegExp.$_, RegExp.$1, RegExp.lastMatch, RegExp['$`'], RegExp["$'"]]; // eslint's tests look at it
const { log } = console;
log(JSON.stringify(first));

// graceful-fs and log4js ask it for hasOwnProperty.
log(typeof require('constants').hasOwnProperty, Object.getPrototypeOf(require('constants')) === Object.prototype);

// The output streams of a program without a terminal can't be read.
log(process.stdout.readable, process.stderr.readable, process.stdout.writable);

// What is asked of the options, in this order, even for a listener that does nothing.
const asked = [];
const options = new Proxy({}, { get: (_, name) => { if (typeof name === 'string') asked.push(name); } });
process.removeAllListeners('warning');
process.on('warning', (warning) => log('warned', warning.name));
new EventTarget().addEventListener('x', () => {}, options);
new EventTarget().addEventListener('x', null, options);
log(asked.join());

const cluster = require('cluster');
cluster.on('setup', (settings) => log('setup', settings === cluster.settings, settings));
cluster.setupPrimary({ exec: 'x' });
cluster.setupMaster({ args: ['y'] });
log(cluster.settings);
process.nextTick(() => log('tick'));
Promise.resolve().then(() => log('microtask'));

// Without a script, but with options in the environment, a child reads its input and ends.
const { spawnSync } = require('child_process');
const child = spawnSync(process.execPath, [], { input: 'console.log(1)', env: { ...process.env, NODE_OPTIONS: '--no-warnings' }, timeout: 60000 });
log(child.status, child.signal, String(child.stdout), String(child.stderr));
