'use strict';
// archiver 3.1.1, archiverjs/node-archiver#388 (fixed in 4.0.0): when the last fs.lstat to come
// back is one of a missing file, no one looks whether the archive can be finished, and it never is.
const fs = require('fs');
const archiver = require('archiver');
const { run, inside, pause } = require('./race');

run(async () => {
  const names = ['access.log', 'error.log', 'cron.log', 'mail.log', 'boot.log'];
  const rotated = new Set(['error.log', 'cron.log', 'mail.log']);
  for (const name of names) {
    if (!rotated.has(name)) fs.writeFileSync(inside(name), `${name}\n`.repeat(100));
  }
  const archive = archiver('zip');
  const output = fs.createWriteStream(inside('logs.zip'));
  const closed = new Promise((resolve) => output.on('close', resolve));
  archive.on('warning', () => {});  // a rotated log may be missing
  archive.pipe(output);
  for (const name of names) archive.file(inside(name), { name });
  await pause(100);
  for (const name of names) archive.file(inside(name), { name: `again/${name}` });
  archive.finalize();
  await closed;
});
