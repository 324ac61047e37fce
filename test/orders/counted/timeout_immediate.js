// 2: the main script takes longer than the timer's millisecond, or not
setTimeout(() => console.log('timeout'), 0);
setImmediate(() => console.log('immediate'));
