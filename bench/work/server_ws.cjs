// A WebSocket server that sends back what comes; prints its port, and ends with its standard input.
'use strict';
const { WebSocketServer } = require(require('node:path').join(process.cwd(), 'node_modules', 'ws'));
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => console.log(server.address().port));
server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
process.stdin.on('end', () => process.exit()).resume();
