'use strict';
// Consoles on streams of the program's own.
const { Console } = require('console');
const { Writable } = require('stream');

const got = [];
const target = (name) => new Writable({
  write(chunk, encoding, done) {
    got.push(`${name}: ${chunk}`);
    done();
  },
});
const [out, err] = [target('out'), target('err')];
const show = () => console.log(got.splice(0));
function attempt(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, error.name, error.code, error.message);
  }
}

const one = new Console(out, err);
one.log('a', 1);
one.warn('w');
one.error('%s', 5);
one.dir({ a: { b: { c: {} } } }, { depth: 0 });
for (const label of [undefined, 'x', undefined]) one.count(label);
one.countReset();
one.count();
one.group('G');
one.log('in\nside');
one.group();
one.info('deep');
for (let times = 0; times < 3; times++) one.groupEnd();
one.log('out');
one.assert(true, 'no');
one.assert(false, 'yes %s', 'q');
one.assert(false);
one.assert(false, { a: 1 });
one.table([{ a: 1 }]);
one.table(5);
one.debug('d');
one.dirxml({ x: 1 }, [2]);
one.clear();
show();
process.on('warning', (warning) => console.log(warning.message));
one.countReset('nope');
one.timeEnd('none');
one.timeLog('none');
one.time('t');
one.time('t');
one.timeEnd('t');
console.log(got.splice(0).map((text) => text.replace(/[\d.]+ms/, 'N ms')));

for (const args of [[], [null], [1], [{}], [{ stdout: 1 }], [{ stdout: out, stderr: 1 }], [{ stdout: out, colorMode: 'x' }],
  [{ stdout: out, groupIndentation: -1 }], [{ stdout: out, groupIndentation: 'x' }], [{ stdout: out, inspectOptions: 1 }],
  [{ stdout: out, colorMode: true, inspectOptions: { colors: true } }], [out, 1]])
  attempt('new', () => typeof new Console(...args));
attempt('without new', () => Console(out) instanceof Console);

const two = new Console({ stdout: out, stderr: err, groupIndentation: 4, inspectOptions: { depth: 0 } });
two.group('a');
two.log({ a: { b: 1 } });
new Console({ stdout: out, colorMode: true }).log({ a: 1 });
new Console(out).error('same');
class Own extends Console {
  constructor() { super(out, err); }
  log(...args) { super.log('own', ...args); }
  hello() { this.log('hello'); }
}
const own = new Own();
own.log('x');
own.info('y');
own.hello();
const { log } = two;
log('taken off');
show();
console.log(Object.keys(two).sort().join(), Object.getOwnPropertyNames(Console.prototype).sort().join());
console.log(two instanceof Console, console instanceof Console, own instanceof Console, {} instanceof Console);
new Console(new Writable({ write(chunk, encoding, done) { done(new Error('of the stream')); } })).log('ignored');
const broken = { write() { throw new Error('at once'); }, on() {}, once() {}, removeListener() {}, listenerCount: () => 0 };
attempt('ignored', () => new Console(broken).log('x'));
attempt('not ignored', () => new Console({ stdout: broken, ignoreErrors: false }).log('x'));
