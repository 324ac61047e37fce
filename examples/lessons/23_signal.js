// A signal is a callback like others (I5)
//
// Is the handler called inside kill?

process.once('SIGUSR2', () => console.log('signal'));
process.kill(process.pid, 'SIGUSR2');
process.nextTick(() => console.log('tick'));
console.log('script');
setTimeout(() => {}, 5);

// Answer: The signal is noted at once, and its handler called by the loop, in the poll
// phase: behind the script and its ticks.
