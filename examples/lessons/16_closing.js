// Close callbacks come last (C1)
//
// Two sockets are closed in one callback. Who hears of it first?

const net = require('net');

setImmediate(() => {
  for (const name of ['first', 'second']) {
    const socket = net.connect(9, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => console.log(name, 'is closed'));
    socket.destroy();
  }
  setImmediate(() => console.log('immediate of the next turn'));
});

// Answer: The closing phase ends the turn, and calls back in reverse: the one that was
// closed last is first.
