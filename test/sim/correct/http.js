'use strict';
// Three requests one after the other, all options as they are.
const { start, request } = require('./service');
(async () => {
  const service = await start();
  for (let n = 0; n < 3; n++) await request(service.port, 'GET', 'none');
  await service.stop();
})();
