'use strict';
// Over a unix socket a connection is there at once, but both sides hear of it from the
// poll: first the server, which was being watched already, then the client.
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'order-'));
const name = path.join(folder, 'socket');
const server = net.createServer((socket) => {
  console.log('connection');
  process.nextTick(() => console.log('connection tick'));
  socket.end('hello');
});
server.listen(name, () => {
  console.log('listening', server.address() === name);
  const client = net.connect(name, () => console.log('connect'));
  client.on('ready', () => console.log('ready'));
  client.on('data', (data) => console.log('data', String(data)));
  client.on('end', () => console.log('end'));
  client.on('finish', () => console.log('finish'));
  client.on('close', () => {
    console.log('close');
    server.close(() => {
      console.log('server closed', fs.existsSync(name));
      fs.rmdirSync(folder);
    });
  });
  setImmediate(() => console.log('immediate'));
  process.nextTick(() => console.log('tick'));
});
