// async_hooks: the module's functions, wrong arguments, and the events of hooks.
'use strict';
const hooks = require('async_hooks');
const { EventEmitterAsyncResource } = require('events');
const fs = require('fs');
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, executionAsyncResource, triggerAsyncId } = hooks;

function attempt(work) {
  try {
    console.log(work());
  } catch (error) {
    console.log(error.name, error.code, error.code === undefined ? '' : error.message);
  }
}

console.log(Object.keys(hooks), executionAsyncId(), triggerAsyncId(), executionAsyncResource());
for (const name of ['AsyncLocalStorage', 'AsyncResource', 'createHook', 'executionAsyncId']) console.log(name, hooks[name].length);
console.log(Object.getOwnPropertyNames(AsyncLocalStorage.prototype), Object.getOwnPropertyNames(AsyncResource.prototype));
console.log(hooks.asyncWrapProviders.TCPWRAP, Object.isFrozen(hooks.asyncWrapProviders), Object.keys(hooks.asyncWrapProviders).length);

attempt(() => createHook());
attempt(() => createHook(null));
attempt(() => createHook({ init: 1 }));
attempt(() => createHook({ promiseResolve: 'x' }));
attempt(() => createHook({ destroy: null }));
attempt(() => createHook({}));
attempt(() => new AsyncResource());
attempt(() => new AsyncResource(1));
attempt(() => new AsyncResource('x', -1).triggerAsyncId());
attempt(() => new AsyncResource('x', -2));
attempt(() => new AsyncResource('x', 1.5));
attempt(() => new AsyncResource('x', { triggerAsyncId: 's' }));
attempt(() => new AsyncResource('x', { triggerAsyncId: 7 }).triggerAsyncId());
attempt(() => new AsyncResource('x', null));
attempt(() => AsyncResource());
attempt(() => new AsyncResource('x').runInAsyncScope());
attempt(() => new AsyncResource('x').runInAsyncScope(function (...args) { return [this, args]; }, 'self', 1, 2));
attempt(() => new AsyncResource('x').bind());
attempt(() => AsyncResource.bind());
attempt(() => AsyncResource.bind(() => {}, 3));
attempt(() => AsyncLocalStorage.bind(3));
attempt(() => new AsyncLocalStorage());

const bound = AsyncResource.bind(function named(a, b) { return [typeof this, a, b]; });
console.log(bound.name, bound.length, Object.keys(bound), bound.call({}, 1, 2));
const fixed = new AsyncResource('x').bind(function named(a, b) { return [this, a, b]; }, { self: true });
console.log(fixed.name, fixed.length, fixed.call({}, 1, 2));

const store = new AsyncLocalStorage();
attempt(() => store.getStore());
attempt(() => store.run(1));
attempt(() => store.run(1, () => store.getStore()));
attempt(() => store.run(1, function (...args) { return [this === globalThis || this === null, args]; }, 2, 3));
attempt(() => store.exit(() => store.getStore()));
attempt(() => store.run(5, () => store.exit(() => store.getStore())));
attempt(() => AsyncLocalStorage.snapshot()((...args) => args, 1, 2));
console.log(store.enterWith(3), store.getStore(), store.disable(), store.getStore(), store.run(4, () => store.getStore()), store.getStore());
console.log(store.disable(), store.getStore());

// --- events ---
const lines = [];
const mine = new Set(); // what a step has made
const destroyed = [];
const names = new Map([[executionAsyncId(), 'main']]);
const counts = {};
const nameOf = (id) => names.get(id) ?? (id === 0 ? 'nothing' : 'unknown');
const hook = createHook({
  init(id, type, trigger, resource) {
    if (type === 'PROMISE' || type === 'DNSCHANNEL') return; // not all of them are known to every engine
    mine.add(id);
    names.set(id, `${type} ${counts[type] = (counts[type] ?? 0) + 1}`);
    lines.push(`init ${nameOf(id)} by ${nameOf(trigger)} in ${nameOf(executionAsyncId())}, ${typeof resource}`);
  },
  before(id) { if (names.has(id)) lines.push(`before ${nameOf(id)} ${executionAsyncId() === id} ${nameOf(triggerAsyncId())}`); },
  after(id) { if (names.has(id)) lines.push(`after ${nameOf(id)} ${executionAsyncId() === id}`); },
  destroy(id) { if (mine.has(id)) destroyed.push(nameOf(id)); },
});
console.log(hook.enable() === hook, hook.enable() === hook);

function show(title) {
  hook.disable();
  console.log(`${title}\n  ${lines.join('\n  ')}\n  destroyed: ${destroyed.sort().join(', ')}`);
  lines.length = destroyed.length = 0;
  hook.enable();
}

const steps = [
  (done) => process.nextTick(() => { lines.push('in tick'); process.nextTick(done); }),
  (done) => queueMicrotask(() => { lines.push('in microtask'); done(); }),
  (done) => { const t = setTimeout(() => { lines.push(`in timer ${executionAsyncResource() === t}`); done(); }, 1); },
  (done) => { let n = 0; const t = setInterval(() => { lines.push('in interval'); if (++n === 2) { clearInterval(t); done(); } }, 1); },
  (done) => { const i = setImmediate(() => { lines.push(`in immediate ${executionAsyncResource() === i}`); done(); }); },
  (done) => { clearTimeout(setTimeout(() => {}, 1000)); clearImmediate(setImmediate(() => {})); setTimeout(done, 1); },
  (done) => fs.stat('/', () => { lines.push('in stat'); done(); }),
  (done) => fs.readdir('/', () => { lines.push('in readdir'); fs.access('/', done); }),
  (done) => require('dns').lookupService('127.0.0.1', 22, () => { lines.push('in lookupService'); done(); }),
  (done) => {
    const resource = new AsyncResource('OWN', { requireManualDestroy: true });
    resource.runInAsyncScope(() => { lines.push('in resource'); setImmediate(done); });
    resource.emitDestroy();
  },
  (done) => {
    const emitter = new EventEmitterAsyncResource({ name: 'EMITTER', requireManualDestroy: true });
    emitter.on('x', () => { lines.push(`in listener ${emitter.asyncId === executionAsyncId()}`); });
    emitter.emit('x');
    emitter.emitDestroy();
    setImmediate(done);
  },
  (done) => {
    try {
      new AsyncResource('THROWS', { requireManualDestroy: true }).runInAsyncScope(() => { throw new Error('x'); });
    } catch {
      lines.push(`caught in ${nameOf(executionAsyncId())}`);
    }
    setImmediate(done);
  },
];

let at = 0;
(function next() {
  if (at === steps.length) {
    hook.disable();
    console.log('the end');
    return;
  }
  const step = steps[at++];
  // From outside of every context that is shown.
  setTimeout(() => {
    lines.length = destroyed.length = 0;
    mine.clear();
    names.set(executionAsyncId(), 'step');
    step(() => {
      setTimeout(() => setImmediate(() => {
        show(String(step).replace(/\s+/g, ' '));
        next();
      }), 1);
    });
  }, 1);
})();
