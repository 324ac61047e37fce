'use strict';
// Running a graph of modules as the standard says (ECMA-262, "Cyclic Module Records"): depth first,
// dependencies before their dependents. Modules in a cycle are completed together. A module that
// waits (top-level await) delays only its dependents; when it is done, those that can continue do
// so at once, in the order in which they were delayed. Fields and functions have the standard's names.

const { arrayIncludes, arrayPop, arrayPush, arraySort, over, promiseThen } = intrinsics;
const { 0: LINKED, 1: EVALUATING, 2: EVALUATING_ASYNC, 3: EVALUATED } = [0, 1, 2, 3];
let asyncEvaluationCount = 0; // of modules that wait or depend on one that does

// The fields of a module's record for this.
const evaluationFields = () => ({
  status: LINKED, failed: false, error: undefined, dfsIndex: 0, dfsAncestorIndex: 0, cycleRoot: undefined,
  pendingAsyncDependencies: 0, asyncParentModules: [], asyncEvaluationOrder: 0, topLevelCapability: undefined,
});

const isDone = (module) => module.status === EVALUATED;

function evaluated(module) {
  module.status = EVALUATED;
  module.asyncEvaluationOrder = 0;
}

function asyncModuleExecutionRejected(module, error) {
  if (isDone(module)) return;
  Object.assign(module, { failed: true, error });
  evaluated(module);
  for (const parent of over(module.asyncParentModules)) asyncModuleExecutionRejected(parent, error);
  module.topLevelCapability?.reject(error);
}

function executeAsyncModule(module, execute) {
  promiseThen.call((0, module.body)(), () => asyncModuleExecutionFulfilled(module, execute),
    (error) => asyncModuleExecutionRejected(module, error));
}

// Collects the modules whose dependencies are now complete, recursively.
function gatherAvailableAncestors(module, list) {
  for (const parent of over(module.asyncParentModules)) {
    if (arrayIncludes.call(list, parent) || parent.cycleRoot.failed) continue;
    if (--parent.pendingAsyncDependencies > 0) continue;
    arrayPush.call(list, parent);
    if (!parent.hasTLA) gatherAvailableAncestors(parent, list);
  }
  return list;
}

function asyncModuleExecutionFulfilled(module, execute) {
  if (isDone(module)) return;
  const list = arraySort.call(gatherAvailableAncestors(module, []), (a, b) => a.asyncEvaluationOrder - b.asyncEvaluationOrder);
  evaluated(module);
  module.topLevelCapability?.resolve();
  for (const next of over(list)) {
    if (isDone(next)) continue;
    if (next.hasTLA) {
      executeAsyncModule(next, execute);
      continue;
    }
    try {
      execute(next);
    } catch (error) {
      asyncModuleExecutionRejected(next, error);
      continue;
    }
    evaluated(next);
    next.topLevelCapability?.resolve();
  }
}

function innerModuleEvaluation(module, stack, execute) {
  if (module.failed) throw module.error;
  if (module.status !== LINKED) return;
  module.status = EVALUATING;
  module.dfsIndex = module.dfsAncestorIndex = stack.seen;
  stack.seen++;
  arrayPush.call(stack.modules, module);
  for (const other of over(module.dependencies.values())) {
    innerModuleEvaluation(other, stack, execute);
    let required = other;
    if (other.status === EVALUATING) {
      module.dfsAncestorIndex = Math.min(module.dfsAncestorIndex, other.dfsAncestorIndex);
    } else {
      required = other.cycleRoot;
      if (required.failed) throw required.error;
    }
    if (required.asyncEvaluationOrder > 0) {
      module.pendingAsyncDependencies++;
      arrayPush.call(required.asyncParentModules, module);
    }
  }
  if (module.pendingAsyncDependencies > 0 || module.hasTLA) {
    module.asyncEvaluationOrder = ++asyncEvaluationCount;
    if (module.pendingAsyncDependencies === 0) executeAsyncModule(module, execute);
  } else {
    execute(module);
  }
  if (module.dfsAncestorIndex === module.dfsIndex) completeCycle(module, stack);
}

function completeCycle(first, { modules }) {
  for (let module; module !== first;) {
    module = arrayPop.call(modules);
    module.status = module.asyncEvaluationOrder > 0 ? EVALUATING_ASYNC : EVALUATED;
    module.cycleRoot = first;
  }
}

// A promise for the end of the module's evaluation. Without top-level await it has ended when this
// returns.
function evaluate(module, execute) {
  const first = module.status >= EVALUATING_ASYNC && module.cycleRoot !== undefined ? module.cycleRoot : module;
  if (first.topLevelCapability !== undefined) return first.topLevelCapability.promise;
  const topLevelCapability = first.topLevelCapability = {};
  topLevelCapability.promise = new Promise((resolve, reject) => Object.assign(topLevelCapability, { resolve, reject }));
  const stack = { modules: [], seen: 0 };
  try {
    innerModuleEvaluation(first, stack, execute);
    if (first.asyncEvaluationOrder === 0) topLevelCapability.resolve();
  } catch (error) {
    for (const each of over(stack.modules)) {
      Object.assign(each, { failed: true, error, cycleRoot: each.cycleRoot ?? first });
      evaluated(each);
    }
    topLevelCapability.reject(error);
  }
  return topLevelCapability.promise;
}

module.exports = { evaluate, isDone, evaluationFields };
