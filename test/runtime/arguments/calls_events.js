'use strict';
// events, timers, streams, event targets, abort signals, diagnostics_channel.
const EventEmitter = require('events');
const stream = require('stream');
const timers = require('timers');
const { add, all, cb, methods } = require('./table.js');
const { Readable, Writable, Duplex, Transform, PassThrough } = stream;

methods('events', 'emitter', () => { const e = new EventEmitter(); e.on('error', cb); return e; }, [
  ['on', ['x', cb]], ['addListener', ['x', cb]], ['once', ['x', cb]], ['prependListener', ['x', cb]], ['prependOnceListener', ['x', cb]], ['removeListener', ['x', cb]], ['off', ['x', cb]],
  ['removeAllListeners', ['x']], ['setMaxListeners', [10]], ['listenerCount', ['x', cb]], ['listeners', ['x']], ['rawListeners', ['x']], ['emit', ['x', 1]], ['eventNames', []],
]);
all('events', EventEmitter, [
  ['once', [new EventEmitter(), 'x', {}]], ['on', [new EventEmitter(), 'x', {}]], ['getEventListeners', [new EventEmitter(), 'x']], ['getMaxListeners', [new EventEmitter()]],
  ['setMaxListeners', [5, new EventEmitter()]], ['listenerCount', [new EventEmitter(), 'x']], ['addAbortListener', [new AbortController().signal, cb]],
]);
add('events', 'constructor', () => (options) => new EventEmitter(options), [{}]);
add('events', 'captureRejections', () => (value) => new EventEmitter({ captureRejections: value }), [true], [0]);
add('events', 'defaultMaxListeners', () => (value) => { const old = EventEmitter.defaultMaxListeners; try { EventEmitter.defaultMaxListeners = value; } finally { EventEmitter.defaultMaxListeners = old; } }, [5], [0]);
add('events', 'once.signal', () => (signal) => EventEmitter.once(new EventEmitter(), 'x', { signal }), [undefined], [0]);
add('events', 'on.signal', () => (signal) => EventEmitter.on(new EventEmitter(), 'x', { signal }), [undefined], [0]);
add('events', 'emit error', () => (error) => new EventEmitter().emit('error', error), [new Error('x')], [0]);

add('timers', 'setTimeout', () => (...args) => clearTimeout(setTimeout(...args)), [cb, 1]);
add('timers', 'setInterval', () => (...args) => clearInterval(setInterval(...args)), [cb, 1]);
add('timers', 'setImmediate', () => (...args) => clearImmediate(setImmediate(...args)), [cb]);
all('timers', timers, [['clearTimeout', [1]], ['clearInterval', [1]], ['clearImmediate', [1]]]);
add('timers', 'queueMicrotask', () => queueMicrotask, [cb]);
add('timers', 'nextTick', () => process.nextTick, [cb]);
const promises = require('timers/promises');
all('timers.promises', promises, [['setTimeout', [1, 1, {}]], ['setImmediate', [1, {}]]]);
for (const field of ['signal', 'ref']) {
  add('timers.promises', `setTimeout.${field}`, () => (value) => promises.setTimeout(1, 1, { [field]: value }), [undefined], [0]);
  add('timers.promises', `setImmediate.${field}`, () => (value) => promises.setImmediate(1, { [field]: value }), [undefined], [0]);
  add('timers.promises', `setInterval.${field}`, () => (value) => promises.setInterval(1, 1, { [field]: value }).next(), [undefined], [0]);
}
all('timers.promises', promises.scheduler, [['wait', [1, {}]]]);

const readable = () => new Readable({ read() {} });
const writable = () => new Writable({ write(chunk, encoding, done) { done(); } });
methods('stream', 'Readable', readable, [
  ['read', [1]], ['push', ['x', 'utf8']], ['unshift', ['x', 'utf8']], ['setEncoding', ['utf8']], ['pipe', [writable(), {}]], ['unpipe', [writable()]], ['wrap', [readable()]], ['destroy', [new Error('x'), cb]],
  ['map', [cb, {}]], ['filter', [cb, {}]], ['forEach', [cb, {}]], ['toArray', [{}]], ['some', [cb, {}]], ['find', [cb, {}]], ['every', [cb, {}]], ['flatMap', [cb, {}]], ['drop', [1, {}]], ['take', [1, {}]],
  ['asIndexedPairs', [{}]], ['reduce', [cb, 0, {}]], ['iterator', [{}]],
]);
methods('stream', 'Writable', writable, [['write', ['x', 'utf8', cb]], ['end', ['x', 'utf8', cb]], ['setDefaultEncoding', ['utf8']], ['destroy', [new Error('x'), cb]], ['cork', []], ['uncork', []]]);
for (const [name, Class] of Object.entries({ Readable, Writable, Duplex, Transform, PassThrough })) {
  add('stream', name, () => (options) => new Class(options), [{}]);
  for (const field of ['highWaterMark', 'readableHighWaterMark', 'writableHighWaterMark', 'encoding', 'objectMode', 'emitClose', 'autoDestroy', 'signal', 'defaultEncoding', 'read', 'write', 'writev', 'final', 'destroy', 'construct', 'transform', 'flush', 'decodeStrings', 'allowHalfOpen', 'readable', 'writable'])
    add('stream', `${name}.${field}`, () => (value) => new Class({ [field]: value }).on('error', cb), [undefined], [0]);
}
all('stream', stream, [
  ['finished', [readable(), {}, cb]], ['pipeline', [readable(), writable(), cb]], ['addAbortSignal', [new AbortController().signal, readable()]], ['isReadable', [readable()]], ['isErrored', [readable()]],
  ['getDefaultHighWaterMark', [true]],
]);
add('stream', 'setDefaultHighWaterMark', () => (...args) => { const old = stream.getDefaultHighWaterMark(args[0]); try { stream.setDefaultHighWaterMark(...args); } finally { stream.setDefaultHighWaterMark(false, 16384); stream.setDefaultHighWaterMark(true, 16); } }, [true, 16]);
add('stream', 'Readable.from', () => (...args) => Readable.from(...args).on('error', cb).destroy(), [['x'], {}]);
add('stream', 'Duplex.from', () => (...args) => Duplex.from(...args).on('error', cb).destroy(), [['x']], [0]);
for (const field of ['signal', 'end']) add('stream', `pipeline.${field}`, () => (value) => stream.promises.pipeline(readable(), writable(), { [field]: value }), [undefined], [0]);
for (const field of ['signal', 'readable', 'writable', 'cleanup', 'error']) add('stream', `finished.${field}`, () => (value) => stream.finished(readable(), { [field]: value }, cb), [undefined], [0]);
for (const field of ['signal', 'concurrency', 'highWaterMark']) add('stream', `map.${field}`, () => (value) => readable().map(cb, { [field]: value }).on('error', cb), [undefined], [0]);
all('stream.promises', stream.promises, [['finished', [readable(), {}]], ['pipeline', [readable(), writable()]]]);

methods('EventTarget', 'target', () => new EventTarget(), [['addEventListener', ['x', cb, {}]], ['removeEventListener', ['x', cb, {}]], ['dispatchEvent', [new Event('x')]]]);
add('EventTarget', 'Event', () => (...args) => new Event(...args), ['x', {}]);
add('EventTarget', 'CustomEvent', () => (...args) => new CustomEvent(...args), ['x', {}]);
for (const field of ['signal', 'once', 'passive', 'capture']) add('EventTarget', `addEventListener.${field}`, () => (value) => new EventTarget().addEventListener('x', cb, { [field]: value }), [undefined], [0]);
all('AbortSignal', AbortSignal, [['abort', [1]], ['timeout', [10]], ['any', [[]]]]);
const channel = require('diagnostics_channel');
all('diagnostics_channel', channel, [['channel', ['x']], ['subscribe', ['x', cb]], ['unsubscribe', ['x', cb]], ['hasSubscribers', ['x']], ['tracingChannel', ['x']]]);
methods('diagnostics_channel', 'channel', () => channel.channel('y'), [['subscribe', [cb]], ['unsubscribe', [cb]], ['publish', [1]], ['bindStore', [{ run(data, next) { return next(); } }, cb]], ['unbindStore', [1]], ['runStores', [1, cb]]]);
