'use strict';
// A web server that says hello. Run it: build/rondo examples/hello_http.js, then ask it with
// curl http://127.0.0.1:8080/name (Node runs the same file).

const http = require('http');

const server = http.createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1)) || 'world';
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`Hello, ${name}!\n`);
});

// A request that no server could answer gets its refusal from here; without this listener, from http.
server.on('clientError', (error, socket) => {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
});

server.listen(process.argv[2] ?? 8080, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
process.once('SIGTERM', () => server.close());
