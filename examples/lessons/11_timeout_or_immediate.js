// Outside, either may be first (N6)
//
// The same two lines in the script itself. Which is first? Always?

setTimeout(() => console.log('timeout'), 0);
setImmediate(() => console.log('immediate'));

// Answer: It depends on whether more than a millisecond has passed when the first turn
// begins. Don't rely on either.
