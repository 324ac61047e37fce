'use strict';
// pipeline(): streams, iterables and functions one after the other, with one callback for
// the end of all. Whatever fails takes the others with it.

const Duplex = require('internal/streams/duplex');
const { PassThrough } = require('internal/streams/transform');
const { finished, premature } = require('internal/streams/finished');
const { bothErrors } = require('internal/streams/destroy');
const { isIterable, isNode, isReadable, isReadableFinished, isReadableNode } = require('internal/streams/state');
const { AbortError, coded, invalidArgType, validateAbortSignal, validateFunction } = require('internal/errors');

const destroyedBy = (name) => coded(Error, 'ERR_STREAM_DESTROYED', `Cannot call ${name} after a stream was destroyed`);
const badValue = (name, value) => coded(TypeError, 'ERR_INVALID_RETURN_VALUE',
  `Expected AsyncIterable to be returned from the "${name}" function but got ${value === null ? 'null' : `type ${typeof value}`}.`);

// Destroys a stream that isn't done by itself when the whole ends.
function destroyer(stream, reading, writing) {
  let done = false;
  stream.on('close', () => { done = true; });
  const clean = finished(stream, { readable: reading, writable: writing }, (error) => { done = !error; });
  return {
    destroy(error) {
      if (done) return;
      done = true;
      if (typeof stream.destroy === 'function') stream.destroy(error || destroyedBy('pipe'));
    },
    clean,
  };
}

async function pump(iterable, writable, finish, end) {
  let error;
  let wake = null;
  const resume = (failed) => {
    if (failed) error = failed;
    if (wake) {
      const call = wake;
      wake = null;
      call();
    }
  };
  const wait = () => new Promise((resolve, reject) => {
    if (error) reject(error);
    else wake = () => error ? reject(error) : resolve();
  });
  writable.on('drain', resume);
  const clean = finished(writable, { readable: false }, resume);
  try {
    if (writable.writableNeedDrain) await wait();
    for await (const chunk of iterable)
      if (!writable.write(chunk)) await wait();
    if (end) {
      writable.end();
      await wait();
    }
    finish();
  } catch (failed) {
    finish(error !== failed ? bothErrors(error, failed) : failed);
  } finally {
    clean();
    writable.off('drain', resume);
  }
}

// Source to destination, both of them streams.
function join(source, dest, finish, { end }) {
  let ended = false;
  dest.on('close', () => {
    if (!ended) finish(premature());
  });
  source.pipe(dest, { end: false });
  if (end) {
    const endDest = () => {
      ended = true;
      dest.end();
    };
    if (isReadableFinished(source)) process.nextTick(endDest);
    else source.once('end', endDest);
  } else {
    finish();
  }
  finished(source, { readable: true, writable: false }, (error) => {
    const r = source._readableState;
    if (error && error.code === 'ERR_STREAM_PREMATURE_CLOSE' && r?.ended && !r.errored && !r.errorEmitted) {
      // Some sources close before they end: the end is still to come.
      source.once('end', finish).once('error', finish);
    } else {
      finish(error);
    }
  });
  return finished(dest, { readable: false, writable: true }, finish);
}

function pipelineWith(streams, callback, options) {
  if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
  if (streams.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
  const control = new AbortController();
  const { signal } = control;
  const outer = options?.signal;
  const destroys = [];
  const cleans = [];
  let error;
  let value;
  let counting = 0;
  const abort = () => settle(new AbortError(undefined, { cause: outer?.reason }), true);
  validateAbortSignal(outer, 'options.signal');

  const finishOne = (failed) => settle(failed, --counting === 0);
  const settle = (failed, last) => {
    if (failed && (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE')) error = failed;
    if (!error && !last) return;
    while (destroys.length > 0) destroys.shift()(error);
    outer?.removeEventListener('abort', abort);
    control.abort();
    if (!last) return;
    if (!error) for (const clean of cleans) clean();
    process.nextTick(callback, error, value);
  };
  if (outer?.aborted) process.nextTick(abort);
  else outer?.addEventListener('abort', abort, { once: true });

  let result;
  for (let i = 0; i < streams.length; i++) {
    const stream = streams[i];
    const reading = i < streams.length - 1;
    const writing = i > 0;
    const end = reading || options?.end !== false;
    const last = i === streams.length - 1;
    if (isNode(stream)) {
      if (end) {
        const { destroy, clean } = destroyer(stream, reading, writing);
        destroys.push(destroy);
        if (isReadable(stream) && last) cleans.push(clean);
      }
      // A write to a stream that is closed must not end the program.
      const onError = (failed) => {
        if (failed && failed.name !== 'AbortError' && failed.code !== 'ERR_STREAM_PREMATURE_CLOSE') finishOne(failed);
      };
      stream.on('error', onError);
      if (isReadable(stream) && last) cleans.push(() => stream.removeListener('error', onError));
    }
    if (i === 0) {
      if (typeof stream === 'function') {
        result = stream({ signal });
        if (!isIterable(result)) throw badValue('source', result);
      } else if (isIterable(stream) || isReadableNode(stream)) {
        result = stream;
      } else {
        result = Duplex.from(stream);
      }
    } else if (typeof stream === 'function') {
      result = stream(result, { signal });
      if (reading) {
        if (!isIterable(result, true)) throw badValue(`transform[${i - 1}]`, result);
      } else {
        // The last function's result is what the whole gives, and nothing reads it.
        const through = new PassThrough({ objectMode: true });
        if (typeof result?.then === 'function') {
          counting++;
          result.then((made) => {
            value = made;
            if (made !== undefined && made !== null) through.write(made);
            if (end) through.end();
            process.nextTick(finishOne);
          }, (failed) => {
            through.destroy(failed);
            process.nextTick(finishOne, failed);
          });
        } else if (isIterable(result, true)) {
          counting++;
          pump(result, through, finishOne, end);
        } else {
          throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE',
            'Expected AsyncIterable or Promise to be returned from the "destination" function but got ' + typeof result);
        }
        result = through;
        const { destroy, clean } = destroyer(result, false, true);
        destroys.push(destroy);
        if (last) cleans.push(clean);
      }
    } else if (isNode(stream)) {
      if (isReadableNode(result)) {
        counting += 2;
        const clean = join(result, stream, finishOne, { end });
        if (isReadable(stream) && last) cleans.push(clean);
      } else if (isIterable(result)) {
        counting++;
        pump(result, stream, finishOne, end);
      } else {
        throw invalidArgType('val', 'an instance of Readable, Iterable, or AsyncIterable', result);
      }
      result = stream;
    } else {
      throw invalidArgType('stream', 'an instance of Stream or a function', stream);
    }
  }
  return result;
}

function pipeline(...streams) {
  const callback = streams.pop();
  validateFunction(callback, 'streams[stream.length - 1]');
  let called = false;
  return pipelineWith(streams, (...args) => {
    if (called) return;
    called = true;
    callback(...args);
  });
}

module.exports = { pipeline, pipelineWith };
