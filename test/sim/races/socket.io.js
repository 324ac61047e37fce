'use strict';
// socket.io-client 2.0.2, socketio/socket.io-client#1133: disconnect() between the server's
// 'connection' and the client's 'connect' closes only the client's side; the server keeps the
// connection until a ping is overdue. Mended: the client leaves once it is connected, and stays with its
// first transport. One that leaves while its transport is being changed is lost in the same way.
const http = require('http');
const listen = require('socket.io');
const connect = require('socket.io-client');
const { run, pause, mended } = require('./race');

run(async () => {
  const server = http.createServer({ headersTimeout: 0, requestTimeout: 0 });
  const io = listen(server, { pingInterval: 3600e3, pingTimeout: 3600e3 });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const visit = async () => {
    const client = connect(`http://127.0.0.1:${server.address().port}`, {
      reconnection: false, forceNew: true, timeout: false, upgrade: !mended });
    if (mended) await new Promise((resolve) => client.on('connect', resolve));
    await pause(200);
    client.disconnect();
  };
  const visits = [];
  for (let visitor = 0; visitor < 10; visitor++) {
    visits.push(visit());
    await pause(100);
  }
  await Promise.all(visits);
  const left = () => Object.keys(io.sockets.connected).length;
  for (let second = 0; second < 600 && (second === 0 || left() > 0); second++) await pause(1000);
  if (left() > 0) throw new Error(`all visitors have left, and ten minutes later the server still has ${left()}`);
  io.close();
});
