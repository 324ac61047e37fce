// Reading a file takes four turns (A2)
//
// The file may be in memory. Can its content come before the third turn?

require('fs').readFile(__filename, () => console.log('the file is read'));
let turns = 0;
const turn = () => {
  console.log('turn', ++turns);
  if (turns < 3) setImmediate(turn);
};
setImmediate(turn);

// Answer: readFile opens, asks for the size, reads and closes: four requests, each begun
// by the answer to the one before. An answer to what a poll began never comes in the
// same poll.
