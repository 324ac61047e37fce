'use strict';
// Preloaded into Node by `rondo sim` when a finding is described: reports from which line of the
// program each file request and look-up comes, before libuv gets it. Nothing is wrapped or
// replaced; where anything is missing, nothing is reported.
(() => {
  let addon;
  try {
    const module = { exports: {} };
    process.dlopen(module, require('path').join(__dirname, 'rondo-node.node'));
    addon = module.exports;
  } catch {
    return; // not on Rondo's library, or a Node without Node-API
  }
  const { relative } = require('path');
  const kinds = new Set(['FSREQCALLBACK', 'FSREQPROMISE', 'GETADDRINFOREQWRAP']);
  const outside = /(?:\(| )((?:file:\/\/)?\/[^()]*):(\d+):\d+\)?$/;

  // The innermost frame that is neither Node's nor ours.
  function place() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 20;
    const lines = String(new Error().stack).split('\n').slice(1);
    Error.stackTraceLimit = stackTraceLimit;
    for (const line of lines) {
      const found = outside.exec(line);
      if (found === null || found[1].includes(__filename)) continue;
      const file = found[1].replace(/^file:\/\//, '');
      const short = relative(process.cwd(), file);
      return `${short.startsWith('..') ? file : short}:${found[2]}`;
    }
    return '';
  }

  function init(id, type) {
    if (kinds.has(type)) addon.origin(place());
  }

  require('async_hooks').createHook({ init }).enable();
})();
