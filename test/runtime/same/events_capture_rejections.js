'use strict';
// Rejections of listeners that are async functions: nobody's business unless
// captureRejections says so, then the emitter's.
const EventEmitter = require('events');
const { once } = EventEmitter;
const { Readable, Writable } = require('stream');
const net = require('net');

const kaboom = async (text) => { throw new Error(`kaboom ${text}`); };
const closed = (emitter) => new Promise((resolve) => emitter.on('close', resolve));
const stories = [];
const story = (name, run) => stories.push({ name, run });

story('names and defaults', () => {
  console.log(EventEmitter.captureRejections, EventEmitter.captureRejectionSymbol === Symbol.for('nodejs.rejection'));
  for (const wrong of [1, 'true', null, {}]) {
    try {
      EventEmitter.captureRejections = wrong;
      console.log('taken', wrong);
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
    try {
      new EventEmitter({ captureRejections: wrong });
      console.log('taken', wrong);
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
  }
  new EventEmitter({ captureRejections: undefined });
  new EventEmitter({});
  console.log(EventEmitter.captureRejections);
});

story('without it', async () => {
  const emitter = new EventEmitter();
  emitter.on('error', () => console.log('never'));
  emitter.on('a', kaboom);
  emitter.emit('a', 1);
  const [error] = await once(process, 'unhandledRejection');
  console.log('unhandled', error.message);
});

story('goes to error', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('a', kaboom);
  emitter.on('a', async () => 'fine');
  emitter.on('a', () => 5);
  emitter.once('b', kaboom);
  emitter.on('error', (error) => console.log('error', error.message));
  console.log(emitter.emit('a', 1), emitter.emit('b', 2), emitter.emit('b', 3));
  process.nextTick(() => console.log('tick'));
  Promise.resolve().then(() => console.log('microtask')).then(() => console.log('second')).then(() => console.log('third'));
  await new Promise(setImmediate);
});

story('goes to the method', async () => {
  class Own extends EventEmitter {
    constructor() {
      super({ captureRejections: true });
    }
    [EventEmitter.captureRejectionSymbol](error, name, ...args) {
      console.log('own', error.message, name, args, this instanceof Own);
    }
  }
  const own = new Own();
  own.on('error', () => console.log('never'));
  own.on('a', kaboom);
  own.emit('a', 1, { two: 2 }, [3]);
  own.emit('a');
  await new Promise(setImmediate);
  own.on(Symbol.for('sym'), kaboom);
  own.emit(Symbol.for('sym'), 9);
  own.removeAllListeners('error');
  own.on('error', kaboom);
  own.emit('error', 'by hand');
  await new Promise(setImmediate);
});

story('a method that throws', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter[EventEmitter.captureRejectionSymbol] = () => { throw new Error('from the method'); };
  emitter.on('a', kaboom);
  emitter.emit('a', 1);
  const [error] = await once(process, 'uncaughtException');
  console.log('uncaught', error.message);
});

story('nobody listens to error', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('a', kaboom);
  emitter.emit('a', 1);
  const [error] = await once(process, 'uncaughtException');
  console.log('uncaught', error.message);
  emitter.on('error', (e) => console.log('still captures', e.message));
  emitter.emit('a', 2);
  await new Promise(setImmediate);
});

story('an async error listener', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('a', kaboom);
  emitter.on('error', async (error) => {
    console.log('error', error.message);
    throw new Error('in error');
  });
  emitter.emit('a', 1);
  const [error] = await once(process, 'unhandledRejection');
  console.log('unhandled', error.message);
});

story('error by hand, listened to by an async function', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  let times = 0;
  emitter.on('error', async (error) => {
    console.log('error', error.message);
    if (times++ < 3) throw new Error(`again ${times}`);
  });
  const unhandled = (error) => console.log('unhandled', error.message);
  process.on('unhandledRejection', unhandled);
  emitter.emit('error', new Error('first'));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  process.removeListener('unhandledRejection', unhandled);
});

story('other thenables', async () => {
  const emitter = new EventEmitter({ captureRejections: true });
  emitter.on('error', (error) => console.log('error', error.message ?? error));
  emitter.on('a', () => ({ then(resolve, reject) { console.log('then', resolve, typeof reject); reject('thenable'); } }));
  emitter.on('a', () => ({ then: 5 }));
  emitter.on('a', () => null);
  emitter.on('a', () => ({ get then() { throw new Error('then throws'); } }));
  emitter.on('a', () => console.log('the last one'));
  emitter.on('b', () => { const f = () => {}; f.then = (a, b) => b('function'); return f; });
  emitter.emit('a');
  emitter.emit('b');
  await new Promise(setImmediate);
});

story('the global switch', async () => {
  const before = new EventEmitter();
  EventEmitter.captureRejections = true;
  const after = new EventEmitter();
  const off = new EventEmitter({ captureRejections: false });
  EventEmitter.captureRejections = false;
  const later = new EventEmitter();
  for (const [name, emitter] of Object.entries({ before, after, off, later })) {
    emitter.on('error', (error) => console.log(name, 'error', error.message));
    emitter.on('a', kaboom);
  }
  const unhandled = (error) => console.log('unhandled', error.message);
  process.on('unhandledRejection', unhandled);
  before.emit('a', 'before');
  after.emit('a', 'after');
  off.emit('a', 'off');
  later.emit('a', 'later');
  await new Promise(setImmediate);
  process.removeListener('unhandledRejection', unhandled);
});

story('streams', async () => {
  const readable = new Readable({ captureRejections: true, read() {} });
  readable.push('x');
  readable.on('data', kaboom);
  readable.on('error', (error) => console.log('error', error.message, readable.destroyed));
  await closed(readable);
  const writable = new Writable({ captureRejections: true, write(chunk, encoding, done) { done(); } });
  writable.on('pipe', kaboom);
  writable.on('error', (error) => console.log('error', error.message, writable.destroyed));
  writable.emit('pipe', 'y');
  await closed(writable);
});

story('servers', async () => {
  EventEmitter.captureRejections = true;
  const server = net.createServer(async (socket) => {
    socket.on('error', (error) => console.log('accepted', error.message));
    throw new Error('in connection');
  });
  EventEmitter.captureRejections = false;
  server.on('error', () => console.log('never'));
  server.listen(0);
  await once(server, 'listening');
  const client = net.connect(server.address().port);
  client.on('error', (error) => console.log('client', error.code));
  await closed(client);
  server.close();
  await closed(server);
  EventEmitter.captureRejections = true;
  const other = net.createServer();
  EventEmitter.captureRejections = false;
  other.on('listening', kaboom);
  other.on('error', (error) => console.log('server error', error.message));
  other.listen(0);
  await once(other, 'listening');
  await new Promise(setImmediate);
  other.close();
});

process.on('uncaughtException', () => {});
(async () => {
  for (const { name, run } of stories) {
    console.log(`-- ${name}`);
    await run();
  }
})();
