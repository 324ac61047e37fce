'use strict';
// Starts the named sources inside each other. Around each of them a tick, a microtask and
// an immediate show what runs when.

const sources = require('./sources');

module.exports = function chain(...names) {
  const step = (depth) => {
    const name = depth === 0 ? 'main' : names[depth - 1];
    const label = `${'  '.repeat(depth)}${name}`;
    console.log(label);
    process.nextTick(() => console.log(`${label}: tick`));
    Promise.resolve().then(() => console.log(`${label}: microtask`));
    setImmediate(() => console.log(`${label}: immediate`));
    if (depth < names.length) sources[names[depth]](() => step(depth + 1));
    process.nextTick(() => console.log(`${label}: last tick`));
    queueMicrotask(() => console.log(`${label}: last microtask`));
  };
  step(0);
};
