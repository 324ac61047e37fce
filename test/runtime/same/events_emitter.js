'use strict';
// EventEmitter: what it keeps, whom it calls, what it reports of listeners that go.
const EventEmitter = require('events');
const { Readable, Writable, Duplex, Transform, Stream } = require('stream');
const { log } = console;

// Streams begin with the types they know; the order of names is theirs.
for (const Kind of [Readable, Writable, Duplex, Transform, Stream, EventEmitter]) {
  const emitter = new Kind();
  log(Kind.name, Object.keys(emitter._events), emitter._eventsCount, emitter.eventNames());
}
const stream = new Readable({ read() {} });
for (const type of ['foo', 'data', 'error']) stream.on(type, () => {});
log(stream.eventNames());
stream.removeAllListeners('foo');
log(Object.keys(stream._events));
stream.removeAllListeners();
log(Object.keys(stream._events), stream.eventNames());

// removeAllListeners reports symbols too, the listeners for 'removeListener' last.
const emitter = new EventEmitter();
const symbol = Symbol('s');
emitter.on(symbol, function one() {}).on('b', function two() {}).on('b', function three() {});
emitter.on('removeListener', (type, listener) => log('removed', type, listener.name));
emitter.removeAllListeners();
log(emitter.eventNames(), emitter.listenerCount('b'));

emitter.once('a', function named() {});
log(emitter.rawListeners('a'), emitter.listeners('a'), emitter.listenerCount('a', emitter.listeners('a')[0]));
emitter.prependListener('a', function before() {}).prependOnceListener('a', function first() {});
log(emitter.listeners('a').map((each) => each.name));

// Without the constructor it is an emitter all the same.
const plain = { __proto__: EventEmitter.prototype };
plain.on('x', (value) => log('plain', value));
plain.emit('x', 1);
const bare = {};
EventEmitter.prototype.on.call(bare, 'y', () => {});
log(Object.keys(bare), EventEmitter.listenerCount({ _events: { y: [1, 2] } }, 'y'));

EventEmitter.captureRejections = true;
function Old() {}
Object.setPrototypeOf(Old.prototype, EventEmitter.prototype);
const old = new Old();
old.on('x', async () => { throw new Error('kaboom'); });
old.on('error', (error) => log('caught', error.message));
old.emit('x');
setImmediate(() => { EventEmitter.captureRejections = false; });

log(EventEmitter.getMaxListeners(new EventTarget()), EventEmitter.getMaxListeners(emitter));
const target = new EventTarget();
EventEmitter.setMaxListeners(3, target, emitter);
log(EventEmitter.getMaxListeners(target), emitter.getMaxListeners());
for (const call of [
  () => emitter.on('a'), () => emitter.on('a', {}), () => emitter.off('a', 1), () => emitter.once('a', null),
  () => emitter.setMaxListeners(-1), () => emitter.setMaxListeners('x'), () => EventEmitter.setMaxListeners(NaN),
  () => EventEmitter.setMaxListeners(1, {}), () => EventEmitter.getMaxListeners({}), () => EventEmitter.getMaxListeners(),
  () => { EventEmitter.defaultMaxListeners = -3; }, () => { EventEmitter.captureRejections = 1; },
  () => new EventEmitter({ captureRejections: 'yes' }), () => EventEmitter.getEventListeners(1, 'a'),
  () => emitter.emit('error', { a: 1 }), () => emitter.emit('error'), () => EventEmitter.addAbortListener(undefined, () => {}),
  () => EventEmitter.addAbortListener({}, () => {}), () => EventEmitter.addAbortListener(AbortSignal.abort(), 1),
])
  try {
    log(String(call), call());
  } catch (error) {
    log(error.name, error.code, error.message);
  }
