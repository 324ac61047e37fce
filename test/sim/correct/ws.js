'use strict';
// A chat: three clients, each message goes to all; a handshake may take five seconds.
const { WebSocketServer, WebSocket } = require('ws');
const { once } = require('events');
const { within } = require('./service');
(async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket) => socket.on('message', (data) => {
    for (const client of server.clients) client.send(String(data));
  }));
  const seen = [];
  const clients = [];
  for (let n = 0; n < 3; n++) {
    const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`, { handshakeTimeout: 5000 });
    const got = (seen[n] = []);
    client.on('message', (data) => got.push(String(data)));
    await once(client, 'open');
    clients.push(client);
  }
  for (let n = 0; n < 3; n++) {
    const all = clients.map((client) => once(client, 'message'));
    clients[n].send(`message ${n}`);
    await within(5000, Promise.all(all), 'a message');
  }
  for (const got of seen) if (got.join() !== 'message 0,message 1,message 2') throw new Error(got.join());
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => once(client, 'close')));
  server.close();
})();
