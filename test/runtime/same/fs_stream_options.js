'use strict';
// Streams of files with options that are refused: the call throws, and nothing comes after.
const fs = require('fs');

const refused = [
  { fd: 'x' }, { fd: true }, { fd: -1 }, { start: -1 }, { start: 1.5 }, { start: 'a' }, { start: null },
  { end: -1 }, { end: 'a' }, { start: 5, end: 3 },
];
for (const options of refused)
  for (const name of ['createReadStream', 'createWriteStream']) {
    if (name === 'createWriteStream' && 'end' in options) continue;
    try {
      fs[name]('/nowhere/at/all', options);
      console.log(name, options, 'taken');
    } catch (error) {
      console.log(name, options, error.name, error.code, error.message);
    }
  }
process.on('uncaughtException', (error) => console.log('later', error.message));
