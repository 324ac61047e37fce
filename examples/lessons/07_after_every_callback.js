// Ticks and promises come behind every callback (N4)
//
// Two immediates of one turn. Does the second one come before the ticks of the first?

for (const name of ['first', 'second']) {
  setImmediate(() => {
    console.log(name);
    process.nextTick(() => console.log('tick of', name));
    Promise.resolve().then(() => console.log('promise of', name));
  });
}

// Answer: No: between any two callbacks both queues are emptied (Node 10 and older
// emptied them behind the whole phase).
