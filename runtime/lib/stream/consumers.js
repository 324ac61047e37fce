'use strict';
// stream/consumers: all that a stream or another iterable gives, as one value.

const { arrayPush, given } = intrinsics;
const { Buffer } = require('buffer');

async function chunksOf(stream) {
  const list = [];
  for await (const chunk of given(stream)) arrayPush.call(list, chunk);
  return list;
}

async function blob(stream) {
  const { Blob } = require('internal/blob');
  return new Blob(await chunksOf(stream));
}

async function arrayBuffer(stream) {
  return (await blob(stream)).arrayBuffer();
}

async function buffer(stream) {
  return Buffer.from(await arrayBuffer(stream));
}

// Bytes may end within a character, which the next ones complete.
async function text(stream) {
  const { TextDecoder } = require('internal/encoding');
  const decoder = new TextDecoder();
  let all = '';
  for await (const chunk of given(stream)) all += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return all + decoder.decode(undefined, { stream: true });
}

async function json(stream) {
  return JSON.parse(await text(stream));
}

module.exports = { arrayBuffer, blob, buffer, json, text };
