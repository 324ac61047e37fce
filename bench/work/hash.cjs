// The SHA-256 of every file of a tree, sixteen files at a time, through streams.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const crypto = require('node:crypto');
const { pipeline } = require('node:stream/promises');

async function hash(file) {
  const sum = crypto.createHash('sha256');
  await pipeline(fs.createReadStream(file), sum);
  return sum.digest('hex');
}

async function main() {
  const entries = fs.readdirSync(process.argv[2], { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < files.length) await hash(files[next++]);
  }));
  console.log(files.length);
}
main();
