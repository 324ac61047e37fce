'use strict';
// Twenty requests over two connections that are kept alive, each with a limit of five seconds.
const http = require('http');
const { start, request } = require('./service');
(async () => {
  const service = await start();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
  const all = Array.from({ length: 20 }, (_, n) => request(service.port, 'PUT', `n${n}`, 'text', { agent, timeout: 5000 }));
  for (const { status } of await Promise.all(all)) if (status !== 200) throw new Error(`status ${status}`);
  agent.destroy();
  await service.stop();
})();
