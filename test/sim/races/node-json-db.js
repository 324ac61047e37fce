'use strict';
// node-json-db 2.0.0, Belphemur/node-json-db#484 (fixed by a lock; 2.3.1 has it): a push while
// another one still loads the file loads it again and forgets what the other one pushed; two that
// save at once may save in the wrong order.
const { JsonDB } = require('node-json-db');
const { Config } = require('node-json-db/dist/lib/JsonDBConfig');
const { run, inside, pause } = require('./race');

run(async () => {
  const db = new JsonDB(new Config(inside('orders'), true, false, '/'));
  const pushes = [];
  for (let order = 1; order <= 4; order++) {
    pushes.push(db.push(`/order${order}`, { order }));
    await pause(500);
  }
  await Promise.all(pushes);
  const saved = Object.keys(await new JsonDB(new Config(inside('orders'), true, false, '/')).getData('/'));
  if (saved.length !== 4) throw new Error(`four orders were saved, and the file has ${saved.sort().join(' ')}`);
});
