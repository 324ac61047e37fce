// Ticks before promises (N4)
//
// Three ways to say "soon". Which order?

setImmediate(() => console.log('immediate'));
Promise.resolve().then(() => console.log('promise'));
process.nextTick(() => console.log('tick'));
console.log('script');

// Answer: Behind every callback, and behind the script: all ticks, then all promises. An
// immediate is a phase of the loop, and waits for it.
