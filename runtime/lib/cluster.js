'use strict';
// There are no workers: every program is the primary.

const { arraySlice } = intrinsics;
const EventEmitter = require('events');
const { notImplemented } = require('internal/errors');

const cluster = module.exports = new EventEmitter();

function setupPrimary(settings) {
  cluster.settings = {
    args: arraySlice.call(process.argv, 2), exec: process.argv[1], execArgv: process.execArgv, silent: false, ...cluster.settings, ...settings,
  };
  process.nextTick((made) => cluster.emit('setup', made), cluster.settings);
}

Object.assign(cluster, {
  isMaster: true,
  isPrimary: true,
  isWorker: false,
  SCHED_NONE: 1,
  SCHED_RR: 2,
  schedulingPolicy: 2,
  settings: {},
  workers: {},
  Worker: function Worker() {
    throw notImplemented('cluster.Worker');
  },
  setupMaster: setupPrimary,
  setupPrimary,
  fork() {
    throw notImplemented('cluster.fork');
  },
  disconnect(callback) {
    if (typeof callback === 'function') process.nextTick(callback);
  },
});
