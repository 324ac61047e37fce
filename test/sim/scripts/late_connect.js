// Counts on a connection that is made within a tenth of a second.
const net = require('net');
const server = net.createServer((socket) => socket.end());
server.listen(0, '127.0.0.1', () => {
  let connected = false;
  const client = net.connect(server.address().port, '127.0.0.1', () => { connected = true; });
  client.resume();
  setTimeout(() => {
    if (!connected) process.exit(1);
    server.close();
  }, 100);
});
