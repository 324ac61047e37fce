'use strict';
// What the scripts here share: an empty directory that is removed at the end, a pause, and an end
// with status 1 and a line that says what went wrong. RACE_MENDED=1 asks for a script's mended form.
const fs = require('fs');
const os = require('os');
const path = require('path');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-race-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true, force: true }));

exports.mended = process.env.RACE_MENDED === '1';
exports.inside = (...names) => path.join(directory, ...names);
exports.pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

exports.fail = (line) => {
  console.log(`RACE: ${line}`);
  process.exit(1);
};

// Runs the script's body. Whatever it throws is the race; so is an end before the body's end,
// because then a callback never came.
exports.run = (body) => {
  let ended = false;
  process.on('exit', (code) => {
    if (!ended && code === 0) {
      console.log('RACE: nothing is left to do, and the work is not done');
      process.exitCode = 1;
    }
  });
  process.on('unhandledRejection', (error) => exports.fail(error.message));
  body().then(() => { ended = true; }, (error) => exports.fail(error.message));
};
