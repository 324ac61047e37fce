'use strict';
// proper-lockfile 4.1.2, moxystudio/node-proper-lockfile#121: whoever finds a stale lock removes
// it, even if another has replaced it meanwhile with a fresh one; then two hold the lock.
// Mended: within the process one asks after the other.
const fs = require('fs');
const lockfile = require('proper-lockfile');
const { run, inside, pause, mended } = require('./race');

// Longer than a holder can take, however late its operations are.
const DAY_MS = 86400e3;

run(async () => {
  const file = inside('ledger');
  fs.writeFileSync(file, '0');
  fs.mkdirSync(`${file}.lock`);
  const long_ago = new Date(Date.now() - 30 * DAY_MS);
  fs.utimesSync(`${file}.lock`, long_ago, long_ago);  // left by a process that was killed

  let holders = 0;
  let before = Promise.resolve();
  const work = async () => {
    const options = { stale: 10 * DAY_MS, retries: { forever: true, factor: 1, minTimeout: 40, maxTimeout: 40 } };
    const taken = before.then(() => lockfile.lock(file, options));
    if (mended) before = taken.catch(() => {});
    const release = await taken;
    if (++holders > 1) throw new Error('two workers hold one lock');
    const sum = Number(await fs.promises.readFile(file, 'utf8'));
    await fs.promises.writeFile(file, String(sum + 1));
    holders--;
    await release();
  };
  const workers = [];
  for (let n = 0; n < 10; n++) {
    workers.push(work());
    await pause(100);
  }
  await Promise.all(workers);
});
