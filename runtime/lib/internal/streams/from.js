'use strict';
// Readable.from(): a stream over an iterable.

const Readable = require('internal/streams/readable');
const { coded, invalidArgType } = require('internal/errors');

module.exports = function from(iterable, options) {
  if (typeof iterable === 'string' || iterable instanceof Uint8Array)
    return new Readable({
      objectMode: true,
      ...options,
      read() {
        this.push(iterable);
        this.push(null);
      },
    });
  let iterator;
  let isAsync;
  if (iterable?.[Symbol.asyncIterator]) {
    isAsync = true;
    iterator = iterable[Symbol.asyncIterator]();
  } else if (iterable?.[Symbol.iterator]) {
    isAsync = false;
    iterator = iterable[Symbol.iterator]();
  } else {
    throw invalidArgType('iterable', 'an instance of Iterable', iterable);
  }
  const stream = new Readable({ objectMode: true, highWaterMark: 1, ...options });
  let reading = false;

  async function next() {
    for (;;) {
      try {
        const { value, done } = isAsync ? await iterator.next() : iterator.next();
        if (done) {
          stream.push(null);
        } else {
          const chunk = value && typeof value.then === 'function' ? await value : value;
          if (chunk === null) {
            reading = false;
            throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
          }
          if (stream.push(chunk)) continue;
          reading = false;
        }
      } catch (error) {
        stream.destroy(error);
      }
      break;
    }
  }

  async function close(error) {
    const failed = error !== undefined && error !== null;
    if (failed && typeof iterator.throw === 'function') {
      const { value, done } = await iterator.throw(error);
      await value;
      if (done) return;
    }
    if (typeof iterator.return === 'function') {
      const { value } = await iterator.return();
      await value;
    }
  }

  stream._read = () => {
    if (reading) return;
    reading = true;
    next();
  };
  stream._destroy = (error, callback) => {
    close(error).then(() => process.nextTick(callback, error),
      (failed) => process.nextTick(callback, failed || error));
  };
  return stream;
};
