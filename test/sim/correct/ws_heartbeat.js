'use strict';
// A connection that is asked every three seconds whether it lives, and given up when it didn't answer
// by the next time: as ws's own manual shows.
const { WebSocketServer, WebSocket } = require('ws');
const { once } = require('events');
const { pause } = require('./service');
(async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    let alive = true;
    socket.on('pong', () => { alive = true; });
    const interval = setInterval(() => {
      if (!alive) throw new Error('the client is gone');
      alive = false;
      socket.ping();
    }, 3000);
    socket.on('close', () => clearInterval(interval));
  });
  const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`);
  await once(client, 'open');
  await pause(20000);
  client.close();
  await once(client, 'close');
  server.close();
})();
