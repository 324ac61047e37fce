'use strict';
// diagnostics_channel: subscribing, publishing, stores, tracing.
const channels = require('diagnostics_channel');
const { log } = console;

const one = channels.channel('one');
const hear = (message, name) => log('heard', message, name);
log(one.hasSubscribers, channels.hasSubscribers('one'), channels.channel('one') === one, one instanceof channels.Channel);
channels.subscribe('one', hear);
one.subscribe((message) => one.unsubscribe(hear) && log('second', message));
one.publish({ a: 1 });
one.publish({ a: 2 });
log(one.hasSubscribers, channels.unsubscribe('one', hear), channels.hasSubscribers('one'));
process.once('uncaughtException', (error) => log('uncaught', error.message));
const bad = channels.channel(Symbol('bad'));
bad.subscribe(() => { throw new Error('of a subscriber'); });
bad.subscribe((message, name) => log(message, name));
bad.publish('all the same');

const store = { run(context, callback) { log('in', context); return callback(); } };
const bound = channels.channel('bound');
bound.bindStore(store, (data) => ({ wrapped: data }));
bound.bindStore(store, (data) => ({ again: data }));
log(bound.hasSubscribers, bound.runStores(5, function (...args) { return [this.self, ...args]; }, { self: 1 }, 2, 3));
log(bound.unbindStore(store), bound.unbindStore(store), bound.hasSubscribers);

const trace = channels.tracingChannel('work');
log(trace.start.name, trace.asyncEnd.name, trace.hasSubscribers);
log(trace.traceSync((a) => a + 1, {}, null, 1));
const handlers = {};
for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'])
  handlers[event] = (context) => log(event, context.id, context.result, context.error?.message);
trace.subscribe(handlers);
log(trace.hasSubscribers, trace.traceSync((a) => a + 1, { id: 'sync' }, null, 1));
try {
  trace.traceSync(() => { throw new Error('thrown'); }, { id: 'throws' });
} catch (error) {
  log('thrown on', error.message);
}
trace.traceCallback((value, callback) => process.nextTick(callback, null, value), -1, { id: 'callback' }, null, 7,
  (error, value) => log('called back', error, value));
trace.traceCallback((callback) => callback(new Error('no')), 0, { id: 'failed' }, null, (error) => log('called back', error.message));
trace.tracePromise(async (value) => value, { id: 'promise' }, null, 8).then((value) => log('resolved', value));
trace.tracePromise(async () => { throw new Error('rejected'); }, { id: 'rejects' }).catch((error) => log(error.message));
setImmediate(() => log(trace.unsubscribe(handlers), trace.unsubscribe(handlers), trace.hasSubscribers));
for (const call of [
  () => channels.channel(), () => channels.channel({}), () => one.subscribe(1), () => channels.subscribe(1, hear),
  () => { trace.start.subscribe(hear); trace.traceCallback(() => {}, 0, {}, null, 1); },
])
  try {
    log(call());
  } catch (error) {
    log(error.name, error.code, error.message);
  }
trace.start.unsubscribe(hear);
