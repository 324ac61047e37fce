'use strict';
// socket.io-client 2.0.2, socketio/socket.io-client#1133: disconnect() between the server's
// 'connection' and the client's 'connect' closes only the client's side; the server keeps the
// connection as long as pings are answered. Mended: the client leaves once it is connected.
const http = require('http');
const listen = require('socket.io');
const connect = require('socket.io-client');
const { run, pause, mended } = require('./race');

run(async () => {
  const server = http.createServer();
  const io = listen(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect(`http://127.0.0.1:${server.address().port}`, { reconnection: false });
  if (mended) await new Promise((resolve) => client.on('connect', resolve));
  await pause(200);
  client.disconnect();  // the visitor leaves
  const left = () => Object.keys(io.sockets.connected).length;
  for (let second = 0; second < 60 && (second === 0 || left() > 0); second++) await pause(1000);
  if (left() > 0) throw new Error('the client has left, and a minute later the server still has its connection');
  io.close();
});
