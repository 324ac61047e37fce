'use strict';
// gzip at once, of 64 KB of text, and back.
const zlib = require('zlib');
const COUNT = 300;
const text = Buffer.from(Array.from({ length: 2048 }, (_, i) => `line ${i * 7919 % 1000} of it, `).join('')).subarray(0, 65536);
const run = (count) => {
  for (let i = 0; i < count; i++) zlib.gunzipSync(zlib.gzipSync(text));
};
run(20);
const start = process.hrtime.bigint();
run(COUNT);
console.log(Number(process.hrtime.bigint() - start) / COUNT);
