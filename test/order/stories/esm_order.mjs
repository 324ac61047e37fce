// The order in which modules run, those that wait among them, and what comes after.
import './../lib/esm/plain_1.mjs';
import { one } from '../lib/esm/after_waits.mjs';
import two from '../lib/esm/waits_2.mjs';
import '../lib/esm/plain_3.mjs';

console.log('main', one, two);
process.nextTick(() => console.log('tick'));
Promise.resolve().then(() => console.log('microtask'));
queueMicrotask(() => console.log('queued'));
setImmediate(() => console.log('immediate'));
await null;
console.log('after a wait');
await new Promise((resolve) => process.nextTick(resolve));
console.log('after a tick');
for await (const each of [Promise.resolve('a'), 'b']) console.log(each);
const { default: again } = await import('../lib/esm/plain_2.mjs');
console.log('imported', again, (await import('../lib/esm/plain_2.mjs')) === (await import('../lib/esm/plain_2.mjs')));
process.on('exit', (code) => console.log('exit', code));
