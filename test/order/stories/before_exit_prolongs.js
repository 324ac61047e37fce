'use strict';
// beforeExit that starts a timer keeps the process alive and is emitted again.
let rounds = 0;
process.on('beforeExit', (code) => {
  console.log('beforeExit', code, ++rounds);
  if (rounds < 3) setTimeout(() => console.log('timer', rounds), 1);
});
process.on('exit', (code) => console.log('exit', code));
