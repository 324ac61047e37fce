'use strict';
// stream/promises: pipeline and finished as promises.

const { arrayAt, arrayPop } = intrinsics;
const { pipelineWith } = require('internal/streams/pipeline');
const { finished: whenFinished } = require('internal/streams/finished');
const { validateBoolean } = require('internal/errors');
const { isIterable, isNode } = require('internal/streams/state');

// Options are a last argument that isn't part of the pipeline.
function areOptions(value) {
  return value !== null && typeof value === 'object' && !(isNode(value) || isIterable(value));
}

function pipeline(...steps) {
  const options = areOptions(arrayAt.call(steps, -1)) ? arrayPop.call(steps) : undefined;
  return settled((settle) => pipelineWith(steps, settle, options));
}

function finished(stream, options) {
  if (options?.cleanup !== undefined) validateBoolean(options.cleanup, 'cleanup');
  return settled((settle) => {
    const forget = whenFinished(stream, options, (error) => {
      if (options?.cleanup) forget();
      settle(error);
    });
  });
}

// A promise for the arguments of start's callback; an exception of start rejects it too.
function settled(start) {
  return new Promise((resolve, reject) => {
    start((error, value) => error ? reject(error) : resolve(value));
  });
}

module.exports = { finished, pipeline };
