'use strict';
// Two writers of one file, the second a tenth of a second after the first. Each reads the number,
// adds one and writes it. RACE_MENDED=1: the second waits for the first.
const fs = require('fs');
const os = require('os');
const path = require('path');

const mended = process.env.RACE_MENDED === '1';
const file = path.join(os.tmpdir(), `rondo-sim-${process.pid}`);
const add = async () => {
  const sum = Number(await fs.promises.readFile(file, 'utf8'));
  await fs.promises.writeFile(file, String(sum + 1));
};

const main = async () => {
  await fs.promises.writeFile(file, '0');
  const first = add();
  if (mended) await first;
  else await new Promise((resolve) => setTimeout(resolve, 100));
  await Promise.all([first, add()]);
  const sum = await fs.promises.readFile(file, 'utf8');
  await fs.promises.unlink(file);
  if (sum !== '2') {
    console.log(`RACE: two writers added one each, and the sum is ${sum}`);
    process.exitCode = 1;
  }
};
main();
