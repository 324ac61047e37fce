// The phases of one turn (P1)
//
// An answer has come in the poll phase. In which order do the other three come?

const fs = require('fs');
const net = require('net');

fs.stat('/', () => {
  console.log('poll: the answer');
  const socket = net.connect(9, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => console.log('closing: the socket'));
  socket.destroy();
  setTimeout(() => console.log('timers: the timeout'), 0);
  setImmediate(() => console.log('check: the immediate'));
});

// Answer: Behind poll come check and closing, and timers begin the next turn. This never
// changes.
