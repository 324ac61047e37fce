'use strict';
// archiver 3.1.1, archiverjs/node-archiver#388 (fixed in 4.0.0): when the last to come back is the
// fs.lstat of a missing file, no one looks whether the archive can be finished, and it never is.
const fs = require('fs');
const archiver = require('archiver');
const { run, inside, pause } = require('./race');

run(async () => {
  const archive = archiver('zip');
  const output = fs.createWriteStream(inside('report.zip'));
  const closed = new Promise((resolve) => output.on('close', resolve));
  archive.on('warning', () => {});  // what is optional may be missing
  archive.pipe(output);
  archive.append(Buffer.alloc(1 << 20, 'What happened, and where. '), { name: 'report.txt' });
  for (const name of ['core', 'access.log', 'error.log', 'cron.log', 'mail.log']) archive.file(inside(name), { name });
  await pause(1000);  // for whoever else has something to add
  archive.finalize();
  await closed;
});
