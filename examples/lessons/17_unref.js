// What keeps the loop alive (L3)
//
// Does the timer of 100 ms ever come?

setTimeout(() => console.log('100 ms'), 100).unref();
setTimeout(() => console.log('50 ms'), 50);
process.on('exit', () => console.log('exit'));

// Answer: The loop ends when nothing that is referenced is left. An unref'd timer comes
// only if something else lives as long.
