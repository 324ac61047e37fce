'use strict';
// sha256 of 64 KB at once; prints nanoseconds a digest.
const { createHash } = require('crypto');
const data = Buffer.alloc(65536, 'The quick brown fox jumps over the lazy dog. ');
const ROUNDS = 3000;
function run(rounds) {
  let last;
  for (let i = 0; i < rounds; i++) last = createHash('sha256').update(data).digest();
  return last;
}
run(200);
const start = process.hrtime.bigint();
run(ROUNDS);
console.log(Number(process.hrtime.bigint() - start) / ROUNDS);
