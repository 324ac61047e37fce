'use strict';
// The stdio option: the descriptors of a child.

const { ArrayBufferIsView, ArrayIsArray, arrayPush, arraySlice } = intrinsics;
const streams = native('stream');
const { coded, invalidArgValue, notImplemented } = require('internal/errors');

const inspect = (value) => require('internal/inspect').inspect(value);

function descriptorOf(stream) {
  if (typeof stream.fd === 'number') return stream.fd;
  if (!stream._handle) return undefined;
  const fd = streams.fileno(stream._handle);
  return fd >= 0 ? fd : undefined;
}

function expand(stdio) {
  if (ArrayIsArray(stdio)) return arraySlice.call(stdio);
  if (stdio === 'ignore' || stdio === 'pipe' || stdio === 'overlapped') return [stdio, stdio, stdio];
  if (stdio === 'inherit') return [0, 1, 2];
  throw invalidArgValue('stdio', stdio);
}

// One entry as { type: 'ignore' | 'pipe' | 'fd', fd, stream }; undefined for an omitted one.
function entryOf(item, index, sync) {
  item ??= index < 3 ? 'pipe' : 'ignore';
  if (item === 'ignore') return { type: 'ignore' };
  if (item === 'pipe' || item === 'overlapped' || (typeof item === 'number' && item < 0)) return { type: 'pipe' };
  if (item === 'inherit') return { type: 'fd', fd: index };
  if (item === 'ipc') {
    if (sync) throw coded(Error, 'ERR_IPC_SYNC_FORK', 'IPC cannot be used with synchronous forks');
    throw notImplemented("stdio 'ipc' of child_process");
  }
  if (typeof item === 'number') return { type: 'fd', fd: item };
  if (typeof item === 'string' || ArrayBufferIsView(item)) {
    if (sync) return undefined;
    throw coded(TypeError, 'ERR_INVALID_SYNC_FORK_INPUT',
      `Asynchronous forks do not support Buffer, TypedArray, DataView or string input: ${inspect(item)}`);
  }
  const fd = typeof item === 'object' ? descriptorOf(item) : undefined;
  if (fd === undefined) throw invalidArgValue('stdio', item);
  return { type: 'fd', fd, stream: item };
}

function readStdio(stdio, sync) {
  const list = expand(stdio);
  while (list.length < 3) arrayPush.call(list, undefined);
  const entries = [];
  for (let i = 0; i < list.length; i++) {
    const entry = entryOf(list[i], i, sync);
    if (entry !== undefined) arrayPush.call(entries, entry);
  }
  return entries;
}

module.exports = { readStdio };
