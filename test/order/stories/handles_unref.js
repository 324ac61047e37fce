'use strict';
// What is unreferenced doesn't keep the program alive; what is referenced again does.
const net = require('net');
const dgram = require('dgram');
const fs = require('fs');
net.createServer().listen(0, '127.0.0.1').unref();
dgram.createSocket('udp4').bind(0, '127.0.0.1').unref();
fs.watch(__dirname, { persistent: false });
const server = net.createServer().listen(0, '127.0.0.1', () => {
  console.log('listening');
  server.unref();
  server.ref();
  setTimeout(() => {
    console.log('letting go');
    server.unref();
  }, 5);
});
process.on('beforeExit', () => console.log('beforeExit'));
process.on('exit', (code) => console.log('exit', code));
