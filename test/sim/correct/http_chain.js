'use strict';
// A request that leads through three servers, each with a limit of three seconds for the next.
const http = require('http');
const { start, request } = require('./service');
(async () => {
  const service = await start();
  const servers = [];
  let behind = service.port;
  for (let n = 0; n < 3; n++) {
    const to = behind;
    const server = http.createServer((incoming, response) => {
      request(to, 'GET', 'none', undefined, { timeout: 3000 })
        .then(({ status }) => { response.statusCode = status; response.end(); },
          (error) => { response.statusCode = 502; response.end(error.message); });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    behind = server.address().port;
  }
  for (let n = 0; n < 3; n++) {
    const { status, text } = await request(behind, 'GET', 'x');
    if (status !== 404) throw new Error(`status ${status}: ${text}`);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  await service.stop();
})();
