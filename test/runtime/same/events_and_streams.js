'use strict';
// Emitters and the four kinds of streams.
const EventEmitter = require('events');
const { Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished } = require('stream');

const emitter = new EventEmitter();
emitter.on('newListener', (name) => console.log('newListener', name));
emitter.once('a', (...args) => console.log('once', args));
emitter.prependListener('a', () => console.log('first'));
console.log(emitter.emit('a', 1, 2), emitter.emit('a'), emitter.emit('b'), emitter.listenerCount('a'), emitter.eventNames());
try {
  emitter.emit('error', new Error('nobody listens'));
} catch (error) {
  console.log(error.message);
}
try {
  emitter.emit('error', { not: 'an error' });
} catch (error) {
  console.log(error.code, error.message);
}
const target = new EventTarget();
target.addEventListener('x', (event) => console.log(event.type, event instanceof Event), { once: true });
console.log(target.dispatchEvent(new Event('x')), target.dispatchEvent(new Event('x')));

async function main() {
  console.log(await EventEmitter.once({ once: (name, cb) => setImmediate(cb, 5), on() {}, removeListener() {} }, 'v'));
  const chunks = [];
  const upper = new Transform({
    transform(chunk, encoding, callback) {
      callback(null, String(chunk).toUpperCase());
    },
    flush(callback) {
      this.push('!');
      callback();
    },
  });
  await new Promise((resolve) => pipeline(Readable.from(['a', 'b', 'c']), upper, new Writable({
    write(chunk, encoding, callback) {
      chunks.push(String(chunk));
      callback();
    },
  }), (error) => resolve(console.log('pipeline', error, chunks))));
  await new Promise((resolve) => pipeline(Readable.from(['a']), new Transform({
    transform(chunk, encoding, callback) {
      callback(new Error('in the middle'));
    },
  }), new PassThrough(), (error) => resolve(console.log('pipeline', error.message))));
  const read = [];
  for await (const chunk of new Readable({
    read() {
      this.count = (this.count ?? 0) + 1;
      this.push(this.count > 3 ? null : String(this.count));
    },
  })) read.push(String(chunk));
  console.log('read', read);
  const slow = new Writable({ highWaterMark: 4, write: (chunk, encoding, callback) => setImmediate(callback) });
  console.log('write', slow.write('123'), slow.write('4567'), slow.writableLength);
  slow.once('drain', () => {
    console.log('drain');
    slow.end('x', () => console.log('ended', slow.writableFinished));
  });
  await new Promise((resolve) => finished(slow, (error) => resolve(console.log('finished', error))));
  const pair = new Duplex({
    read() {},
    write(chunk, encoding, callback) {
      this.push(chunk);
      callback();
    },
    final(callback) {
      this.push(null);
      callback();
    },
  });
  pair.end('echo');
  for await (const chunk of pair) console.log('duplex', String(chunk));
  const broken = new Readable({ read() { this.destroy(new Error('broken')); } });
  broken.on('error', (error) => console.log('error', error.message)).on('close', () => console.log('close')).resume();
}
main();
