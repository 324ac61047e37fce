'use strict';
// Event, EventTarget, AbortSignal: order, stopping, what is refused.
const { addAbortListener } = require('events');
const { log } = console;

const target = new EventTarget();
target.addEventListener('x', () => {
  log('first');
  target.addEventListener('x', () => log('added meanwhile'));
}, { once: true });
target.addEventListener('x', () => log('second'));
target.dispatchEvent(new Event('x'));
const stopped = new Event('x', { cancelable: true });
stopped.stopImmediatePropagation();
log(stopped.cancelBubble, target.dispatchEvent(stopped), stopped.target === target, stopped.currentTarget);
const recursive = new Event('r');
target.addEventListener('r', () => target.dispatchEvent(recursive));
process.once('uncaughtException', (error) => log(error.code, error.message));
target.dispatchEvent(recursive);
target.addEventListener('h', { handleEvent(event) { log('object', event.type, event.eventPhase, event.composedPath().length); } });
target.dispatchEvent(new CustomEvent('h', { detail: 1 }));
const event = new Event('q');
event.initEvent('renamed', true, true);
log(event.type, event.bubbles, event.cancelable, event.isTrusted, Object.keys(Event.prototype).length);
for (const phase of ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'])
  log(Object.getOwnPropertyDescriptor(Event, phase));

// A listener of addAbortListener isn't kept from it by others.
const controller = new AbortController();
controller.signal.addEventListener('abort', (each) => {
  log('trusted', each.isTrusted);
  each.stopImmediatePropagation();
});
controller.signal.addEventListener('abort', () => log('never'));
addAbortListener(controller.signal, () => log('unstoppable'));
const kept = addAbortListener(controller.signal, () => log('disposed of'));
kept[Symbol.dispose]();
controller.abort();
log(controller.signal.reason.name);

// All that follow a signal are aborted in the order in which they were made.
const source = new AbortController();
const a = AbortSignal.any([source.signal]);
const b = AbortSignal.any([a]);
const c = AbortSignal.any([source.signal]);
const d = AbortSignal.any([b, a]);
Object.entries({ d, c, b, a, source: source.signal }).forEach(([name, signal]) => {
  signal.addEventListener('abort', () => log(name, a.aborted, b.aborted, c.aborted, d.aborted));
});
source.abort('why');
log(d.reason);

source.signal.onabort = null;
log(source.signal.onabort, AbortSignal.abort(1).reason);
for (const call of [
  () => new Event(), () => new Event('a', 1), () => new CustomEvent(), () => target.addEventListener('a'),
  () => target.addEventListener('a', 1), () => target.addEventListener('a', () => {}, 1),
  () => target.addEventListener('a', () => {}, { signal: 1 }), () => target.removeEventListener('a'),
  () => target.removeEventListener('a', 1), () => target.addEventListener(Symbol('z'), () => {}),
  () => target.dispatchEvent(), () => target.dispatchEvent({}), () => AbortSignal.any(), () => AbortSignal.any([1]),
  () => new AbortSignal(), () => AbortSignal.timeout(), () => EventTarget.prototype.addEventListener.call({}, 'a', () => {}),
  () => Event.prototype.preventDefault.call({}), () => AbortSignal.prototype.throwIfAborted.call(target),
  () => Object.getOwnPropertyDescriptor(Event.prototype, 'type').get.call({}),
])
  try {
    log(String(call), call());
  } catch (error) {
    log(error.name, error.code, error.message);
  }
process.on('warning', (warning) => log(warning.name, warning.message, warning.count, warning.type));
const many = new EventTarget();
for (let i = 0; i < 12; i++) many.addEventListener('foo', () => {});
target.addEventListener('none', null);
