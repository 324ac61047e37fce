// An immediate of an immediate waits for the next turn (N3)
//
// Does the inner one come before the second?

setImmediate(() => {
  console.log('first');
  setImmediate(() => console.log('inner'));
});
setImmediate(() => console.log('second'));

// Answer: A phase runs what was in it when it began. So the inner one comes a turn
// later, and nobody starves.
