// Says hello. /cpu answers with the processor time so far, in microseconds, of all threads.
'use strict';
const http = require('http');
const server = http.createServer((request, response) => {
  if (request.url !== '/cpu') return response.end('hello');
  const { user, system } = process.cpuUsage();
  response.end(`used ${user + system} hello`);
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
