// Behind an answer the immediate is first (N6)
//
// A timeout of 0 and an immediate, from a callback of the poll phase. Which is first?

require('fs').stat('/', () => {
  setTimeout(() => console.log('timeout'), 0);
  setImmediate(() => console.log('immediate'));
});

// Answer: Always the immediate: check comes right behind poll, and timers in the next
// turn.
