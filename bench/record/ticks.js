// A million ticks, each of which asks for the next: prints the processor time of one, in ns.
'use strict';
const TICKS = 1e6;
let left = TICKS;
let before;
function tick() {
  if (--left > 0) return process.nextTick(tick);
  const { user, system } = process.cpuUsage(before);
  console.log(`tick ${(user + system) * 1000 / TICKS}`);
}
setTimeout(() => {
  before = process.cpuUsage();
  tick();
}, 50);
