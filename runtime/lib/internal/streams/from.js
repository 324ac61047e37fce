'use strict';
// Readable.from(): a stream over an iterable. The iterable is advanced only as fast as the stream
// is read, and is closed when the stream is destroyed before its end.

// own methods: stream
const { arrayUnshift, over, promiseThen } = intrinsics;
const Readable = require('internal/streams/readable');
const { coded, invalidArgType } = require('internal/errors');

// Text and bytes are one chunk, though they could be iterated.
const isWhole = (value) => typeof value === 'string' || value instanceof Uint8Array;

function ofOneChunk(chunk, options) {
  const read = function () {
    for (const each of over([chunk, null])) this.push(each);
  };
  return new Readable({ objectMode: true, ...options, read });
}

class Source {
  constructor(iterable) {
    const open = iterable?.[Symbol.asyncIterator];
    this.isAsync = Boolean(open);
    const method = open ? Symbol.asyncIterator : Symbol.iterator;
    if (!iterable?.[method]) throw invalidArgType('iterable', 'an instance of Iterable', iterable);
    this.iterator = iterable[method]();
    this.isBusy = false;
  }

  // Pushes until the stream has enough or there is no more.
  async fill(stream) {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      let goesOn = true;
      while (goesOn) {
        // Only what must be awaited is, since every await costs the reader a turn.
        const step = this.isAsync ? await this.iterator.next() : this.iterator.next();
        if (step.done) {
          stream.push(null); // stays busy: there is nothing more to read
          return;
        }
        const { value } = step;
        goesOn = this.give(stream, typeof value?.then === 'function' ? await value : value);
      }
    } catch (error) {
      stream.destroy(error);
    }
  }

  give(stream, chunk) {
    const goesOn = chunk !== null && stream.push(chunk);
    if (!goesOn) this.isBusy = false;
    if (chunk === null) throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
    return goesOn;
  }

  // Lets the iterator clean up: it may handle the error, and if it isn't done then, it is returned.
  async close(error) {
    const calls = [{ method: 'return', args: [] }];
    if (error !== null && error !== undefined) arrayUnshift.call(calls, { method: 'throw', args: [error] });
    for (const { method, args } of over(calls)) {
      if (typeof this.iterator[method] !== 'function') continue;
      const step = await Reflect.apply(this.iterator[method], this.iterator, args);
      await step.value;
      if (step.done) return;
    }
  }
}

module.exports = function from(iterable, options) {
  if (isWhole(iterable)) return ofOneChunk(iterable, options);
  const source = new Source(iterable);
  const stream = new Readable({ objectMode: true, highWaterMark: 1, ...options });
  stream._read = () => {
    source.fill(stream);
  };
  stream._destroy = (error, callback) => {
    const finish = (failed) => process.nextTick(callback, failed || error);
    promiseThen.call(source.close(error), () => finish(), finish);
  };
  return stream;
};
