// A timeout of 0 is one of 1 (N2)
//
// Is the timer of 0 ms first?

setTimeout(() => console.log('1 ms'), 1);
setTimeout(() => console.log('0 ms'), 0);

// Answer: A delay below 1 becomes 1. Both are due at once, and of equal times the first
// that was started is first.
