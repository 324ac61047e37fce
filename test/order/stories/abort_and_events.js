'use strict';
const controller = new AbortController();
controller.signal.addEventListener('abort', () => console.log('listener 1'));
controller.signal.onabort = () => console.log('handler');
controller.signal.addEventListener('abort', () => console.log('once'), { once: true });
process.nextTick(() => console.log('tick'));
controller.abort();
console.log('aborted', controller.signal.aborted, controller.signal.reason.name);
controller.abort();
AbortSignal.timeout(10).addEventListener('abort', function () {
  console.log('timeout', this.reason.name);
});
setTimeout(() => {}, 30);
