'use strict';
// undici's pool, with the limits that it has by default.
const { Pool } = require('undici');
const { start, pause } = require('./service');
(async () => {
  const service = await start();
  const pool = new Pool(service.url, { connections: 3 });
  const get = async (name) => {
    const { statusCode, body } = await pool.request({ path: `/${name}`, method: 'GET' });
    await body.text();
    if (statusCode !== 404) throw new Error(`status ${statusCode}`);
  };
  for (let round = 0; round < 3; round++) {
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(get));
    await pause(200);
  }
  await pool.close();
  await service.stop();
})();
