'use strict';
// write-file-atomic 1.3.4 (fixed in 2.0.0, which queues writes to one file): each write renames
// its own temporary file when it is ready, so that an older write may come last.
const fs = require('fs');
const util = require('util');
const writeFileAtomic = util.promisify(require('write-file-atomic'));
const { run, inside, pause } = require('./race');

run(async () => {
  let newest = 0;
  const save = async (version) => {
    await writeFileAtomic(inside('settings.json'), JSON.stringify({ version }));
    newest = Math.max(newest, version);
    const held = JSON.parse(fs.readFileSync(inside('settings.json'), 'utf8')).version;
    if (held < newest) throw new Error(`version ${newest} was saved, and then the file holds version ${held}`);
  };
  const saves = [];
  for (let version = 1; version <= 6; version++) {
    saves.push(save(version));
    await pause(100);
  }
  await Promise.all(saves);
});
