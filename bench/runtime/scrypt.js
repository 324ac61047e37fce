'use strict';
// scrypt with its usual parameters, four at a time on the pool; prints nanoseconds a key.
const { scrypt } = require('crypto');
const ROUNDS = 24;
let begun = 0;
let done = 0;
let start;
function next() {
  if (begun === ROUNDS) return;
  begun++;
  scrypt('password', 'salt', 64, (error) => {
    if (error) throw error;
    if (++done === ROUNDS) console.log(Number(process.hrtime.bigint() - start) / ROUNDS);
    else next();
  });
}
scrypt('password', 'salt', 64, () => {
  start = process.hrtime.bigint();
  for (let i = 0; i < 4; i++) next();
});
