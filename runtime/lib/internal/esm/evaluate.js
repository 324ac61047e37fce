'use strict';
// Running a graph of modules as the standard says (ECMA-262, "Cyclic Module Records"): depth first,
// dependencies before their dependents. Modules in a cycle are completed together. A module that
// waits (top-level await) delays only its dependents; when it is done, those that can continue do
// so at once, in the order in which they were delayed.

const { arrayIncludes, arrayPop, arrayPush, arraySort, over, promiseThen } = intrinsics;
const { 0: NEW, 1: RUNNING, 2: WAITING, 3: DONE } = [0, 1, 2, 3];
let held = 0; // number of modules that wait or depend on one that does

// The fields of a module's record for this.
const newProgress = () => ({
  progress: NEW, failed: false, error: undefined, depth: 0, lowest: 0, circle: undefined, missing: 0, needers: [], order: 0,
  outcome: undefined,
});

const isDone = (module) => module.progress === DONE;

function settle(module) {
  module.progress = DONE;
  module.order = 0;
}

function failAll(module, error) {
  if (isDone(module)) return;
  Object.assign(module, { failed: true, error });
  settle(module);
  for (const needer of over(module.needers)) failAll(needer, error);
  module.outcome?.reject(error);
}

function startWaiting(module, execute) {
  promiseThen.call((0, module.body)(), () => finish(module, execute), (error) => failAll(module, error));
}

// Collects the modules whose dependencies are now complete, recursively.
function ready(module, list) {
  for (const needer of over(module.needers)) {
    if (arrayIncludes.call(list, needer) || needer.circle.failed) continue;
    if (--needer.missing > 0) continue;
    arrayPush.call(list, needer);
    if (!needer.awaits) ready(needer, list);
  }
  return list;
}

function finish(module, execute) {
  if (isDone(module)) return;
  const list = arraySort.call(ready(module, []), (a, b) => a.order - b.order);
  settle(module);
  module.outcome?.resolve();
  for (const next of over(list)) {
    if (isDone(next)) continue;
    if (next.awaits) {
      startWaiting(next, execute);
      continue;
    }
    try {
      execute(next);
    } catch (error) {
      failAll(next, error);
      continue;
    }
    settle(next);
    next.outcome?.resolve();
  }
}

function visit(module, stack, execute) {
  if (module.failed) throw module.error;
  if (module.progress !== NEW) return;
  Object.assign(module, { progress: RUNNING, depth: stack.seen, lowest: stack.seen, missing: 0 });
  stack.seen++;
  arrayPush.call(stack.modules, module);
  for (const other of over(module.dependencies.values())) {
    visit(other, stack, execute);
    let needed = other;
    if (other.progress === RUNNING) {
      module.lowest = Math.min(module.lowest, other.lowest);
    } else {
      needed = other.circle;
      if (needed.failed) throw needed.error;
    }
    if (needed.order > 0) {
      module.missing++;
      arrayPush.call(needed.needers, module);
    }
  }
  if (module.missing > 0 || module.awaits) {
    module.order = ++held;
    if (module.missing === 0) startWaiting(module, execute);
  } else {
    execute(module);
  }
  if (module.lowest === module.depth) closeCircle(module, stack);
}

function closeCircle(first, { modules }) {
  for (let module; module !== first;) {
    module = arrayPop.call(modules);
    module.progress = module.order > 0 ? WAITING : DONE;
    module.circle = first;
  }
}

// A promise for the end of the module's evaluation. Without top-level await it has ended when this
// returns.
function evaluate(module, execute) {
  const first = module.progress >= WAITING && module.circle !== undefined ? module.circle : module;
  if (first.outcome !== undefined) return first.outcome.promise;
  const outcome = first.outcome = {};
  outcome.promise = new Promise((resolve, reject) => Object.assign(outcome, { resolve, reject }));
  const stack = { modules: [], seen: 0 };
  try {
    visit(first, stack, execute);
    if (first.order === 0) outcome.resolve();
  } catch (error) {
    for (const each of over(stack.modules)) {
      Object.assign(each, { failed: true, error, circle: each.circle ?? first });
      settle(each);
    }
    outcome.reject(error);
  }
  return outcome.promise;
}

module.exports = { evaluate, isDone, newProgress };
