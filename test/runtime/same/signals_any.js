'use strict';
// AbortSignal.any and timeout: who is aborted when, and what is refused.
const { log } = console;
const first = new AbortController();
const second = new AbortController();
const either = AbortSignal.any([first.signal, second.signal]);
const further = AbortSignal.any([either, AbortSignal.timeout(1e6)]);
first.signal.addEventListener('abort', () => log('first', either.aborted, further.aborted));
either.addEventListener('abort', () => log('either', either.reason));
further.onabort = () => log('further', further.reason);
first.abort('why');
second.abort('too late');
log(either.reason, AbortSignal.any([further]).reason, AbortSignal.any([]).aborted);
for (const call of [() => AbortSignal.any(5), () => AbortSignal.any([5]), () => AbortSignal.timeout('x'), () => AbortSignal.timeout(-1)])
  try {
    call();
  } catch (error) {
    log(error.name, error.code, error.message);
  }
const late = AbortSignal.timeout(1);
late.addEventListener('abort', () => log(late.reason.name, late.reason.code, DOMException.TIMEOUT_ERR));

// Many rejections that nobody handles are no reason to become slow.
let count = 0;
process.on('unhandledRejection', () => count++);
for (let i = 0; i < 20000; i++) Promise.reject(i);
setTimeout(() => log('unhandled', count), 50);
