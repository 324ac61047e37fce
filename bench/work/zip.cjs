// Packs a tree into a zip file, with yazl.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { ZipFile } = require(path.join(process.cwd(), 'node_modules', 'yazl'));
const zip = new ZipFile();
for (const entry of fs.readdirSync(process.argv[2], { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = path.join(entry.parentPath, entry.name);
  zip.addFile(file, path.relative(process.argv[2], file));
}
zip.outputStream.pipe(fs.createWriteStream(process.argv[3]));
zip.end();
