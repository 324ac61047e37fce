'use strict';
// process and the smaller globals.
const os = require('os');
const util = require('util');
const assert = require('assert');
console.log(process.argv.length, process.platform, process.arch, typeof process.pid, typeof process.ppid, process.title.length > 0);
process.env.RONDO_TEST = 1;
console.log(process.env.RONDO_TEST, 'RONDO_TEST' in process.env, delete process.env.RONDO_TEST, process.env.RONDO_TEST);
console.log(Object.keys(process.memoryUsage()), Object.keys(process.cpuUsage()), process.hrtime().length, typeof process.hrtime.bigint());
const here = process.cwd();
process.chdir('/');
console.log(process.cwd());
process.chdir(here);
for (const bad of [() => process.chdir('/nonexistent'), () => process.kill(process.pid, 'SIGNONE'), () => process.nextTick(5),
  () => setTimeout('x'), () => { process.exitCode = 'x'; }, () => process.kill(2 ** 22 - 1, 0), () => queueMicrotask(), () => require('')])
  try {
    bad();
  } catch (error) {
    console.log(error.name, error.code, error.syscall);
  }
console.log(process.kill(process.pid, 0), process.umask() >= 0, process.uptime() < 60, process.emitWarning.length >= 1);
console.log(util.types.isDate(new Date()), util.isDeepStrictEqual({ a: [1] }, { a: [1] }), util.inspect(new Map([[1, 2]])));
console.log(util.promisify((a, cb) => cb(null, a + 1)) instanceof Function, util.format('%s', 'x'));
util.promisify((a, cb) => cb(null, a + 1))(1).then((value) => console.log('promisified', value));
util.callbackify(async (a) => a * 2)(21, (error, value) => console.log('callbackified', error, value));
console.log(os.EOL === '\n', os.cpus().length > 0, typeof os.hostname(), os.type(), os.endianness(), os.constants.signals.SIGTERM);
for (const check of [() => assert.strictEqual(1, 2), () => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }),
  () => assert.equal(1, 2), () => assert(0, 'message'), () => assert.throws(() => {}), () => assert.match('abc', /x/),
  () => assert.notStrictEqual(1, 1), () => assert.fail('failed'), () => assert.ifError(new Error('e')), () => assert.deepEqual([1], ['1'])])
  try {
    check();
    console.log('passes');
  } catch (error) {
    console.log(error.name, error.code, error.message.split('\n')[0]);
  }
assert.rejects(Promise.reject(new TypeError('x')), TypeError).then(() => console.log('rejects'));
console.log(performance.now() > 0, typeof performance.timeOrigin, Object.keys(performance.eventLoopUtilization()));
class Special extends Error {
  constructor(message) {
    super(message);
    this.name = 'Special';
  }
}
const error = new Special('why');
console.log(error.stack.split('\n')[0], String(error), error instanceof Error, Object.keys(error), error.constructor === Special);
console.log(new Error('a', { cause: 'b' }).cause, new AggregateError([1], 'm').errors, Error('x').message, new Error('x').hasOwnProperty('stack'));
try {
  null.x;
} catch (caught) {
  console.log(caught instanceof TypeError, caught.constructor === TypeError);
}
process.on('exit', (code) => console.log('exit', code));
