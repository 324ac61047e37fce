'use strict';
// The server of http_load.js: hello at "/", an answer of 10 KB as JSON at "/json", at "/use" what it has
// used of the processor, in microseconds, and of memory, in bytes.
const http = require('http');
const items = [];
for (let i = 0; i < 128; i++) items.push({ id: i, name: `item ${i}`, tags: ['one', 'two', 'three'], price: i * 1.25, on: i % 2 === 0 });
const answers = {
  '/': () => ['text/plain', 'hello\n'],
  '/json': () => ['application/json', JSON.stringify(items)],
  '/use': () => {
    const { user, system } = process.cpuUsage();
    return ['application/json', JSON.stringify({ cpu: user + system, memory: process.memoryUsage().rss })];
  },
};
const server = http.createServer((request, response) => {
  const { 0: type, 1: text } = answers[request.url]();
  response.setHeader('Content-Type', type);
  response.end(text);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
// The load ends with this process's input.
process.stdin.on('end', () => process.exit()).resume();
