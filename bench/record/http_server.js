// Says hello. /cpu answers with the processor time so far, in microseconds, of all threads; /on and /off
// switch the recorder's ring, with the addon that SWITCH names (switch.c).
'use strict';
const http = require('http');
const ringSwitch = process.env.SWITCH ? require(process.env.SWITCH) : () => {};
const server = http.createServer((request, response) => {
  if (request.url === '/hello') return response.end('hello');
  if (request.url !== '/cpu') ringSwitch(request.url === '/on');
  const { user, system } = process.cpuUsage();
  response.end(`used ${user + system} hello`);
});
server.keepAliveTimeout = 0; // a busy machine may leave a connection alone for longer
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
