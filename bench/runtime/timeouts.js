'use strict';
// A million timeouts of ten durations, started at once, fired.
const COUNT = 1e6;
let fired = 0;
const start = performance.now();
function fire() {
  if (++fired === COUNT) console.log((performance.now() - start) * 1e6 / COUNT);
}
for (let i = 0; i < COUNT; i++) setTimeout(fire, i % 10);
