'use strict';
// There are no other threads: this is always the main thread, and functions that would make a
// thread or a channel throw.

const { SymbolFor } = intrinsics;
const { notImplemented } = require('internal/errors');

const environment = new Map();
const absent = (name) => ({
  [name]: function () {
    throw notImplemented(`worker_threads.${name}`);
  },
})[name];

module.exports = {
  isMainThread: true,
  MessagePort: absent('MessagePort'),
  MessageChannel: absent('MessageChannel'),
  markAsUntransferable: absent('markAsUntransferable'),
  moveMessagePortToContext: absent('moveMessagePortToContext'),
  receiveMessageOnPort: absent('receiveMessageOnPort'),
  resourceLimits: {},
  threadId: 0,
  SHARE_ENV: SymbolFor('nodejs.worker_threads.SHARE_ENV'),
  Worker: absent('Worker'),
  parentPort: null,
  workerData: null,
  BroadcastChannel: absent('BroadcastChannel'),
  setEnvironmentData(key, value) {
    if (value === undefined) environment.delete(key);
    else environment.set(key, value);
  },
  getEnvironmentData: (key) => environment.get(key),
};
