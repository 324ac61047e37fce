'use strict';
// process, os, console, perf_hooks, tty, v8, module, worker_threads' harmless parts.
const os = require('os');
const tty = require('tty');
const v8 = require('v8');
const { Console } = require('console');
const { performance, PerformanceObserver } = require('perf_hooks');
const { createRequire, isBuiltin, builtinModules } = require('module');
const { add, all, cb, methods } = require('./table.js');

const oldMask = process.umask();
all('process', process, [
  ['chdir', ['.']], ['cpuUsage', [undefined]], ['emitWarning', ['x', 'Warning', 'C']], ['hrtime', [[0, 0]]], ['setUncaughtExceptionCaptureCallback', [null]], ['getBuiltinModule', ['fs']], ['loadEnvFile', ['none']], ['setSourceMapsEnabled', [false]], ['hasUncaughtExceptionCaptureCallback', []], ['memoryUsage', []], ['resourceUsage', []], ['uptime', []], ['cwd', []], ['initgroups', [{}, 1], [0]], ['setegid', [{}], []],
].filter(([name]) => typeof process[name] === 'function' && name !== 'setSourceMapsEnabled'));
add('process', 'cpuUsage.user', () => (value) => process.cpuUsage({ user: value, system: 1 }), [1], [0]);
add('process', 'cpuUsage.system', () => (value) => process.cpuUsage({ user: 1, system: value }), [1], [0]);
add('process', 'hrtime tuple', () => (value) => process.hrtime([value]), [1], [0]);
add('process', 'umask', () => (mask) => { try { process.umask(mask); } finally { process.umask(oldMask); } }, [0o22]);
add('process', 'exitCode', () => (code) => { try { process.exitCode = code; } finally { process.exitCode = undefined; } }, [0], [0]);
add('process', 'kill signal', () => (signal) => process.kill(process.pid, signal), [0], [0]);
add('process', 'kill', () => (pid) => process.kill(pid, 0), [process.pid], [0]);
add('process', 'env.X', () => (value) => { process.env.X = value; }, ['x'], [0]);
add('process', 'title', () => (value) => { process.title = value; }, ['x'], [0]);
add('process', 'emitWarning options', () => (value) => process.emitWarning('x', { type: value }), ['x'], [0]);
all('os', os, [['getPriority', [0]], ['userInfo', [{}]], ['hostname', []], ['networkInterfaces', []]]);
add('os', 'setPriority', () => (...args) => os.setPriority(...args), [0, os.getPriority()], [0]);
add('os', 'userInfo.encoding', () => (encoding) => os.userInfo({ encoding }), ['utf8'], [0]);
add('os', 'setPriority alone', () => (priority) => { const old = os.getPriority(); try { os.setPriority(priority); } finally { os.setPriority(old); } }, [os.getPriority()], [0]);
add('console', 'Console', () => (...args) => new Console(...args), [process.stdout, process.stderr, true]);
for (const field of ['stdout', 'stderr', 'ignoreErrors', 'colorMode', 'inspectOptions', 'groupIndentation']) add('console', `Console.${field}`, () => (value) => new Console({ stdout: process.stdout, [field]: value }), [undefined], [0]);
const silent = new Console(new (require('stream').Writable)({ write(chunk, encoding, done) { done(); } }));
all('console', silent, [['assert', [false, 'x']], ['count', ['x']], ['countReset', ['x']], ['dir', [{}, {}]], ['group', ['x']], ['log', ['x']], ['table', [[{ a: 1 }], ['a']]], ['time', ['x']], ['timeEnd', ['x']], ['timeLog', ['x']], ['trace', ['x']]]);
all('perf_hooks', performance, [['mark', ['x', {}]], ['measure', ['x', 'nodeTiming', 'x'], [0, 1]], ['clearMarks', ['x']], ['clearMeasures', ['x']], ['getEntries', []], ['getEntriesByName', ['x', 'mark']], ['getEntriesByType', ['mark']], ['timerify', [cb, {}]], ['eventLoopUtilization', [undefined, undefined]], ['now', []]]);
for (const field of ['startTime', 'detail']) add('perf_hooks', `mark.${field}`, () => (value) => performance.mark('x', { [field]: value }), [1], [0]);
add('perf_hooks', 'PerformanceObserver', () => (callback) => new PerformanceObserver(callback), [cb]);
methods('perf_hooks', 'observer', () => new PerformanceObserver(cb), [['observe', [{ entryTypes: ['mark'] }]]]);
for (const field of ['entryTypes', 'type']) add('perf_hooks', `observe.${field}`, () => (value) => { const observer = new PerformanceObserver(cb); observer.observe({ [field]: value }); observer.disconnect(); }, [['mark']], [0]);
all('tty', tty, [['isatty', [0]]]);
add('tty', 'ReadStream', () => (fd) => new tty.ReadStream(fd), [99999], [0]);
add('tty', 'WriteStream', () => (fd) => new tty.WriteStream(fd), [99999], [0]);
add('module', 'createRequire', () => (from) => createRequire(from), ['/a']);
add('module', 'isBuiltin', () => isBuiltin, ['fs']);
add('module', 'require', () => require, ['fs']);
add('module', 'require.resolve', () => require.resolve, ['fs', {}]);
add('module', 'require.resolve.paths', () => (value) => require.resolve('fs', { paths: value }), [['/']], [0]);
