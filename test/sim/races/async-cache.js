'use strict';
// async-cache 1.1.0: del() forgets what is cached, not what is being loaded; a load that began
// before the change puts the old value back, for good. Mended: the change waits for the load.
const fs = require('fs');
const AsyncCache = require('async-cache');
const { run, inside, pause, mended } = require('./race');

run(async () => {
  const cache = new AsyncCache({ max: 10, load: (name, done) => fs.readFile(inside(name), 'utf8', done) });
  const get = (name) => new Promise((resolve, reject) =>
    cache.get(name, (error, text) => (error ? reject(error) : resolve(text))));
  fs.writeFileSync(inside('prices'), 'old');
  const reader = get('prices');
  await pause(100);
  if (mended) await reader;
  await fs.promises.writeFile(inside('prices'), 'new');
  cache.del('prices');
  await reader;
  await pause(100);
  const prices = await get('prices');
  if (prices !== 'new') throw new Error(`the prices are ${prices}, long after they changed`);
});
