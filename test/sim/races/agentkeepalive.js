'use strict';
// agentkeepalive 4.1.4, node-modules/agentkeepalive#58 and #102 (fixed in 4.2.0): a free socket is
// kept for 15 seconds, Node's server closes it after 5. A request that comes to the server a moment
// too late ends with ECONNRESET.
const http = require('http');
const Agent = require('agentkeepalive');
const { run, pause } = require('./race');

run(async () => {
  // Only the time-out in question: a request may be a minute under way.
  const limits = { headersTimeout: 0, requestTimeout: 0 };
  const server = http.createServer(limits, (request, response) => response.end('ok'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ timeout: 600e3 });
  const poll = () => new Promise((resolve, reject) => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent }, (response) => {
      response.resume();
      response.on('end', resolve);
    }).on('error', (error) => reject(new Error(`the status was asked for and ${error.message}`)));
  });
  for (let n = 0; n < 6; n++) {
    await poll();
    await pause(4900);
  }
  agent.destroy();
  server.close();
});
