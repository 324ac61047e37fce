// A server, its client, a datagram socket and a child: what decisions about them are called.
const { spawn } = require('child_process');
const dgram = require('dgram');
const net = require('net');

const server = net.createServer((client) => client.end('words')).listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1');
  client.resume();
  client.on('close', () => server.close());
});
const socket = dgram.createSocket('udp4');
socket.on('message', () => socket.close());
socket.bind(0, '127.0.0.1', () => socket.send('words', socket.address().port, '127.0.0.1'));
spawn('true');
