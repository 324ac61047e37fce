'use strict';
// pipeline and finished that one awaits.

const stream = require('stream');

function pipeline(...streams) {
  return new Promise((resolve, reject) => {
    const last = streams[streams.length - 1];
    let signal;
    if (last && typeof last === 'object' && typeof last.on !== 'function' && !last[Symbol.iterator] &&
        !last[Symbol.asyncIterator]) ({ signal } = streams.pop());
    if (signal !== undefined)
      for (const each of streams) if (typeof each?.on === 'function') stream.addAbortSignal(signal, each);
    stream.pipeline(...streams, (error, value) => error ? reject(error) : resolve(value));
  });
}

function finished(which, options) {
  return new Promise((resolve, reject) => {
    stream.finished(which, options, (error) => error ? reject(error) : resolve());
  });
}

module.exports = { finished, pipeline };
