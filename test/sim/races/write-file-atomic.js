'use strict';
// write-file-atomic 1.3.4 (fixed in 2.0.0, which queues writes to one file): each write renames
// its own temporary file when it is ready, so that an older write may come last.
const fs = require('fs');
const util = require('util');
const writeFileAtomic = util.promisify(require('write-file-atomic'));
const { run, inside, pause } = require('./race');

run(async () => {
  const writes = [];
  for (let version = 1; version <= 6; version++) {
    writes.push(writeFileAtomic(inside('settings.json'), JSON.stringify({ version })));
    await pause(100);
  }
  await Promise.all(writes);
  const { version } = JSON.parse(fs.readFileSync(inside('settings.json'), 'utf8'));
  if (version !== 6) throw new Error(`version 6 was saved last, and the file holds version ${version}`);
});
