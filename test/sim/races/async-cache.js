'use strict';
// async-cache 1.1.0: del() forgets what is cached, not what is being loaded; a load that began
// before the change puts the old value back, for good. Mended: the change waits for the load.
const fs = require('fs');
const AsyncCache = require('async-cache');
const { run, inside, pause, mended } = require('./race');

const cache = new AsyncCache({ max: 10, load: (name, done) => fs.readFile(inside(name), 'utf8', done) });
const get = (name) => new Promise((resolve, reject) =>
  cache.get(name, (error, text) => (error ? reject(error) : resolve(text))));

const change = async (name) => {
  fs.writeFileSync(inside(name), 'old');
  const reader = get(name);
  await pause(100);
  if (mended) await reader;
  await fs.promises.writeFile(inside(name), 'new');
  cache.del(name);
  await reader;
  await pause(100);
  const text = await get(name);
  if (text !== 'new') throw new Error(`the ${name} are ${text}, long after they changed`);
};

run(() => Promise.all(['prices', 'names', 'rooms', 'seats', 'tours', 'meals', 'rates', 'dates'].map(change)));
