'use strict';
// The parts of v8 that another engine can answer: how much memory is in use. Flags have no meaning
// here and are ignored.

const { notImplemented, validateString } = require('internal/errors');

function getHeapStatistics() {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  const { totalmem } = require('os');
  return {
    total_heap_size: heapTotal,
    total_heap_size_executable: 0,
    total_physical_size: heapTotal,
    total_available_size: Math.max(0, totalmem() - heapUsed),
    used_heap_size: heapUsed,
    heap_size_limit: totalmem(),
    malloced_memory: 0,
    peak_malloced_memory: 0,
    does_zap_garbage: 0,
    number_of_native_contexts: 1,
    number_of_detached_contexts: 0,
    total_global_handles_size: 0,
    used_global_handles_size: 0,
    external_memory: external,
  };
}

const absent = (name) => () => {
  throw notImplemented(`v8.${name}`);
};

module.exports = {
  cachedDataVersionTag: () => 0,
  getHeapStatistics,
  getHeapSpaceStatistics: () => [],
  getHeapCodeStatistics: () => ({
    code_and_metadata_size: 0, bytecode_and_metadata_size: 0, external_script_source_size: 0, cpu_profiler_metadata_size: 0,
  }),
  setFlagsFromString: (flags) => validateString(flags, 'flags'),
  setHeapSnapshotNearHeapLimit() {},
  startupSnapshot: { isBuildingSnapshot: () => false },
  deserialize: absent('deserialize'),
  getHeapSnapshot: absent('getHeapSnapshot'),
  serialize: absent('serialize'),
  stopCoverage() {},
  takeCoverage() {},
  writeHeapSnapshot: absent('writeHeapSnapshot'),
};
