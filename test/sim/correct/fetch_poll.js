'use strict';
// Asks every second and a half, as a dashboard does.
const { start, pause } = require('./service');
(async () => {
  const service = await start();
  for (let n = 0; n < 4; n++) {
    await (await fetch(`${service.url}/none`)).text();
    await pause(1500);
  }
  await service.stop();
})();
