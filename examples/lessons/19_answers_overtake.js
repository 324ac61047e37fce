// Requests overtake each other (A2)
//
// Two files are asked for. Is the first answer about the first?

const fs = require('fs');
fs.stat('/', () => console.log('first'));
fs.stat('/', () => console.log('second'));

// Answer: Not for sure: two threads carry them out. Wait for one answer before you ask
// for the other, if the order matters.
