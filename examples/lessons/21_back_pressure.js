// Streams say when they are full (N4)
//
// The stream takes three bytes. What does write return, and when does drain come?

const { Writable } = require('stream');
const slow = new Writable({
  highWaterMark: 3,
  write: (chunk, encoding, done) => setImmediate(() => {
    console.log('written', String(chunk));
    done();
  }),
});
slow.on('drain', () => console.log('drain'));
console.log('ab may be followed by more:', slow.write('ab'));
console.log('cd may be followed by more:', slow.write('cd'));

// Answer: write returns false as soon as as many bytes wait as highWaterMark says, and
// drain comes when all of them are written.
