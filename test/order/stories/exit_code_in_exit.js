'use strict';
process.on('exit', (code) => {
  console.log('first', code);
  process.exitCode = 0;
});
process.on('exit', (code) => console.log('second', code, process.exitCode));
process.exitCode = 5;
