'use strict';
// A signature with P-256 and its verification at once; prints nanoseconds a pair.
const { generateKeyPairSync, sign, verify } = require('crypto');
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const data = Buffer.alloc(1000, 'x');
const ROUNDS = 1500;
function run(rounds) {
  for (let i = 0; i < rounds; i++) if (!verify('sha256', data, publicKey, sign('sha256', data, privateKey))) throw new Error('not verified');
}
run(100);
const start = process.hrtime.bigint();
run(ROUNDS);
console.log(Number(process.hrtime.bigint() - start) / ROUNDS);
