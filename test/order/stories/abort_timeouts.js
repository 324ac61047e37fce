'use strict';
// AbortSignal.timeout among timers: in the order they were started, listened to or not, and
// never keeping the program alive.
const log = (...words) => console.log(...words);
const name = (signal) => signal.reason?.name;

const early = AbortSignal.timeout(1);
early.addEventListener('abort', () => {
  log('early');
  process.nextTick(() => log('tick of early'));
  Promise.resolve().then(() => log('microtask of early'));
  throw new Error('of a listener');
});

const first = AbortSignal.timeout(60);
first.addEventListener('abort', (event) => log('first', event.type, name(first), first.reason.message, first.reason.code));
setTimeout(() => log('timer, first', first.aborted), 60);
const second = AbortSignal.timeout(60);
second.onabort = () => log('second by property');
setTimeout(() => log('timer, second', second.aborted), 60);
const third = AbortSignal.timeout(60);
const any = AbortSignal.any([third, first]);
any.addEventListener('abort', () => log('any', name(any), any.reason === first.reason));
setTimeout(() => {
  log('timer, third', third.aborted, name(third));
  third.addEventListener('abort', () => log('too late'));
}, 60);

process.on('uncaughtException', (error) => log('uncaught', error.message));

const removed = AbortSignal.timeout(2);
const listener = () => log('was removed');
removed.addEventListener('abort', listener);
removed.removeEventListener('abort', listener);
setTimeout(() => log('removed', removed.aborted), 140);

const never = AbortSignal.timeout(2 ** 31 - 1);
never.addEventListener('abort', () => log('never'));
for (let index = 0; index < 1000; index++) AbortSignal.timeout(100000);
for (const bad of [-1, 1.5, NaN, 'x', undefined, null, 2 ** 32, 10n])
  try {
    AbortSignal.timeout(bad);
    log('taken');
  } catch (error) {
    log(error.name, error.code, error.message);
  }
process.on('exit', () => log('exit', never.aborted));
