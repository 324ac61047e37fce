'use strict';
// A socket that is piped to itself: the end that comes in goes out again, 'finish' and all.
const net = require('net');

const names = ['connect', 'ready', 'data', 'end', 'finish', 'close', 'error'];
function tell(socket, who) {
  for (const name of names) socket.on(name, (value) => console.log(who, name, String(value)));
}

const server = net.createServer((socket) => {
  tell(socket, 'server');
  socket.pipe(socket);
});
server.listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1');
  tell(client, 'client');
  client.write('hi');
  client.once('data', () => client.end());
  client.on('close', () => server.close(() => console.log('server closed')));
});
