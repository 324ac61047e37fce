'use strict';
// fetch(), one after the other and some at a time, with a signal that would end it after five seconds.
const { start } = require('./service');
(async () => {
  const service = await start();
  const get = async (name) => {
    const response = await fetch(`${service.url}/${name}`, { signal: AbortSignal.timeout(5000) });
    await response.text();
    if (response.status !== 404) throw new Error(`status ${response.status}`);
  };
  for (let n = 0; n < 4; n++) await get('none');
  await Promise.all(['a', 'b', 'c'].map(get));
  await service.stop();
})();
