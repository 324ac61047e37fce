// The order of the two is open: it depends on whether the script takes longer than a millisecond.
setTimeout(() => console.log('timeout'), 0);
setImmediate(() => console.log('immediate'));
