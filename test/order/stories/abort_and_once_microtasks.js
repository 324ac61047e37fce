'use strict';
// How many microtasks it takes until a promise of events.once, of timers/promises with a
// signal, and of their kin tells what has happened: a chain of microtasks counts.
const EventEmitter = require('events');
const timers = require('timers/promises');
const util = require('util');

function counted(name, promise, happen) {
  return new Promise((resolve) => {
    let count = 0;
    let done = false;
    const tell = (how) => () => {
      done = true;
      console.log(name, how, count);
      setImmediate(resolve);
    };
    promise.then(tell('fulfilled'), tell('rejected'));
    setImmediate(() => {
      happen();
      (function spin() {
        if (!done && count++ < 30) Promise.resolve().then(spin);
      })();
    });
  });
}

(async () => {
  const emitter = new EventEmitter();
  const target = new EventTarget();
  let controller = new AbortController();
  const abort = () => controller.abort();
  await counted('once', EventEmitter.once(emitter, 'x'), () => emitter.emit('x'));
  await counted('once, error', EventEmitter.once(emitter, 'x'), () => emitter.emit('error', new Error()));
  await counted('once, target', EventEmitter.once(target, 'x'), () => target.dispatchEvent(new Event('x')));
  await counted('once, aborted', EventEmitter.once(emitter, 'x', controller), abort);
  await counted('on', EventEmitter.on(emitter, 'x').next(), () => emitter.emit('x'));
  controller = new AbortController();
  await counted('setTimeout, aborted', timers.setTimeout(1e5, 0, controller), abort);
  controller = new AbortController();
  await counted('wait, aborted', timers.scheduler.wait(1e5, controller), abort);
  controller = new AbortController();
  await counted('setInterval, aborted', timers.setInterval(1e5, 0, controller).next(), abort);
  controller = new AbortController();
  await counted('util.aborted', util.aborted(controller.signal, {}), abort);
})();
