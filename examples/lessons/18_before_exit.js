// beforeExit may go on, exit may not (N1)
//
// What is printed behind beforeExit?

let first = true;
process.on('beforeExit', () => {
  console.log('beforeExit');
  if (first) setImmediate(() => console.log('one more turn'));
  first = false;
});
process.on('exit', () => {
  console.log('exit');
  setImmediate(() => console.log('never'));
});

// Answer: beforeExit comes when nothing is left, as often as it starts something. What
// exit starts never runs.
