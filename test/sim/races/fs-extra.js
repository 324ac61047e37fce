'use strict';
// fs-extra 8.0.1, jprichardson/node-fs-extra#699 and #967: copy() looks whether the target
// directory is there, and makes it some callbacks later; of two copies into one directory the second
// fails with EEXIST. Mended: the directory is made before.
const fs = require('fs-extra');
const { run, inside, pause, mended } = require('./race');

run(async () => {
  const parts = ['pages', 'styles', 'scripts', 'fonts', 'images'];
  for (const part of parts) fs.outputFileSync(inside(part, `${part}.txt`), part);
  if (mended) await fs.ensureDir(inside('site'));
  const copies = [];
  for (const part of parts) {
    copies.push(fs.copy(inside(part), inside('site')));
    await pause(100);
  }
  await Promise.all(copies);
  for (const part of parts) {
    if (!fs.existsSync(inside('site', `${part}.txt`))) throw new Error(`${part} was not copied`);
  }
});
