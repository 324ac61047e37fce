// Says hello until it is asked for /end; prints the processor time of a request in between.
'use strict';
const http = require('http');
let before, counted = 0;
const server = http.createServer((request, response) => {
  if (request.url === '/begin') before = process.cpuUsage();
  else if (request.url !== '/end') counted++;
  response.end('hello');
  if (request.url !== '/end') return;
  const { user, system } = process.cpuUsage(before);
  console.log(`http ${(user + system) / counted} us/request`);
  process.exit();
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
