// 2: either end hears first that they are connected
const net = require('net');
const server = net.createServer((socket) => {
  console.log('accepted');
  socket.end();
  server.close();
});
server.listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1', () => console.log('connected'));
  client.resume();
});
