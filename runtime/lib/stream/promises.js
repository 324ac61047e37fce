'use strict';
// stream/promises: pipeline and finished as promises.

const { pipelineWith } = require('internal/streams/pipeline');
const { finished: whenFinished } = require('internal/streams/finished');
const { isIterable, isNode } = require('internal/streams/state');

function pipeline(...streams) {
  return new Promise((resolve, reject) => {
    let options;
    const last = streams[streams.length - 1];
    if (last && typeof last === 'object' && !isNode(last) && !isIterable(last)) options = streams.pop();
    pipelineWith(streams, (error, value) => error ? reject(error) : resolve(value), options);
  });
}

function finished(stream, options) {
  return new Promise((resolve, reject) => {
    const clean = whenFinished(stream, options, (error) => {
      if (options?.cleanup) clean();
      if (error) reject(error);
      else resolve();
    });
  });
}

module.exports = { finished, pipeline };
