'use strict';
// Listeners that throw in every kind of socket callback: each is heard of, and the loop
// goes on. Not in 'end': that keeps the socket from ever being closed. Whether a connection is noticed first by its
// server or by its client is open, so of a connection's two sides only one throws.
const net = require('net');
const log = (...args) => console.log(...args);
process.on('uncaughtException', (error) => log('caught', error.message));
const fail = (text) => {
  process.nextTick(() => log('tick after', text));
  throw new Error(text);
};
const server = net.createServer((socket) => {
  socket.on('data', () => fail('in data'));
  socket.on('end', () => log('end'));
  socket.on('close', () => {
    server.close(() => {
      throwing_client();
      fail('in server close');
    });
    fail('in close');
  });
  fail('in connection');
});
server.listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1', () => {
    setTimeout(() => client.write('x', () => setTimeout(() => client.end(), 5)), 5);
  });
  client.resume();
  fail('in listening');
});

function throwing_client() {
  const quiet = net.createServer((socket) => {
    socket.resume();
    quiet.close();
  });
  quiet.listen(0, '127.0.0.1', () => {
    const client = net.connect(quiet.address().port, '127.0.0.1', () => {
      setTimeout(() => client.destroy(), 5);
      fail('in connect');
    });
    client.on('close', () => fail('in client close'));
  });
}
