// Copies every file of a tree into one folder by a pair of streams, eight at a time.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');

async function main([from, to]) {
  fs.mkdirSync(to);
  const files = fs.readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  let next = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (next < files.length) {
      const number = next++;
      await pipeline(fs.createReadStream(files[number]), fs.createWriteStream(path.join(to, String(number))));
    }
  }));
}
main(process.argv.slice(2));
