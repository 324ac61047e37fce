'use strict';
// Streams among emitters of old, and a Transform that ends before its source does.
const EventEmitter = require('events');
const { Readable, Stream, Transform, Writable, pipeline, finished } = require('stream');
const { log } = console;

let loops = 5;
const source = new Readable({ read() { if (loops--) this.push(Buffer.alloc(20000)); } });
const ender = new Transform({ transform(chunk, encoding, callback) { this.push(null); callback(); } });
source.pipe(ender).resume().on('end', () => log('loops', loops, 'paused', source.isPaused()));

// A target without prependListener and listenerCount.
class Older extends Writable {
  _write(chunk, encoding, callback) { log('wrote', String(chunk)); callback(); }
}
Older.prototype.prependListener = undefined;
Older.prototype.listenerCount = undefined;
for (const make of [() => new Readable({ read() { this.push('x'); this.push(null); } }), () => new Stream()]) {
  const from = make();
  const to = new Older();
  to.on('error', (error) => log('error', error.message));
  from.pipe(to);
  if (!from.read) from.emit('data', 'y');
  log(to.listeners('error').length);
  setImmediate(() => to.emit('error', new Error('late')));
}

const old = new Stream();
process.nextTick(() => ['a', 'b'].forEach((chunk) => old.emit('data', chunk)));
process.nextTick(() => old.emit('end'));
(async () => {
  let text = '';
  for await (const chunk of Readable.prototype[Symbol.asyncIterator].call(old)) text += chunk;
  log(text);
  const { promisify } = require('util');
  const promises = require('stream/promises');
  log(promisify(pipeline) === promises.pipeline, promisify(finished) === promises.finished, EventEmitter.listenerCount(old, 'data'));
})();
