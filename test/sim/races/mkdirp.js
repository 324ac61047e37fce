'use strict';
// mkdirp 0.5.1: after EEXIST it looks with fs.stat what is there; if the directory was removed
// meanwhile, it fails with EEXIST though nothing exists. Mended: who removes and who makes take turns.
const fs = require('fs');
const util = require('util');
const mkdirp = util.promisify(require('mkdirp'));
const { run, inside, pause, mended } = require('./race');

let turn = Promise.resolve();
const take = (job) => {
  if (!mended) return job();
  const result = turn.then(job);
  turn = result.catch(() => {});
  return result;
};

// Uploads make their user's directory; the sweeper removes the directories that are empty.
const upload = (user) => take(async () => {
  for (;;) {
    await mkdirp(inside('spool', user));
    try {
      await fs.promises.writeFile(inside('spool', user, 'file'), user);
      break;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;  // swept meanwhile: once more
    }
  }
  await fs.promises.rm(inside('spool', user, 'file'), { force: true });
});
const sweep = (user) => take(() => fs.promises.rmdir(inside('spool', user)).catch(() => {}));

run(async () => {
  const users = ['ada', 'ben', 'cleo', 'dan', 'eve'];
  const work = [];
  for (let round = 0; round < 6; round++) {
    work.push(...users.map(upload));
    await pause(100);
    work.push(...users.map(sweep));
    await pause(100);
  }
  await Promise.all(work);
});
