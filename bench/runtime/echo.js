'use strict';
// 50 connections over TCP on this machine, each sending 64 bytes and waiting for them to
// come back; client and server in one process. Prints ns a round trip.
const net = require('net');
const CONNECTIONS = 50;
const COUNT = 100000;
const message = Buffer.alloc(64, 'x');
let done = 0;
let start;
const server = net.createServer((socket) => socket.on('data', (data) => socket.write(data)));
server.listen(0, '127.0.0.1', () => {
  const clients = [];
  let connected = 0;
  for (let i = 0; i < CONNECTIONS; i++) {
    const client = net.connect(server.address().port, '127.0.0.1', () => {
      client.setNoDelay(true);
      if (++connected === CONNECTIONS) {
        start = performance.now();
        for (const each of clients) each.write(message);
      }
    });
    let got = 0;
    client.on('data', (data) => {
      got += data.length;
      if (got < message.length) return;
      got = 0;
      if (++done === COUNT) {
        console.log((performance.now() - start) * 1e6 / COUNT);
        for (const each of clients) each.destroy();
        server.close();
      } else if (done + CONNECTIONS <= COUNT) {
        client.write(message);
      }
    });
    clients.push(client);
  }
});
