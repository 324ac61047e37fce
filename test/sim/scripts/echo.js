// Three clients of one server, whose echoes must be whole, in any order.
const net = require('net');
let left = 3;
const server = net.createServer((client) => client.pipe(client));
server.listen(0, '127.0.0.1', () => {
  for (let i = 0; i < 3; i++) {
    const client = net.connect(server.address().port, '127.0.0.1');
    let echo = '';
    client.write(`hello ${i}`);
    client.on('data', (data) => {
      echo += data;
      if (echo.length === 7) client.end();
    });
    client.on('close', () => {
      if (echo !== `hello ${i}`) throw new Error(echo);
      if (--left === 0) server.close(() => console.log('whole'));
    });
  }
});
