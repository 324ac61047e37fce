'use strict';
// A listener keeps the signal from killing; it does not keep the process alive.
process.on('SIGUSR2', (name, number) => {
  console.log(name, number);
  process.nextTick(() => console.log('tick'));
  setImmediate(() => console.log('immediate'));
  clearTimeout(alive);
});
const alive = setTimeout(() => console.log('never'), 10000);
process.kill(process.pid, 'SIGUSR2');
console.log('main');
