'use strict';
// Two processes add to one number in a file by reading and writing it, the second 40 ms after
// the first. What one of them does late in its own process is overtaken by the other.
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [file, delay] = process.argv.slice(2);
if (file) {
  const add = () => fs.readFile(file, 'utf8', (_, text) => fs.writeFile(file, String(+text + 1), () => {}));
  setTimeout(add, +delay);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'two-'));
  const number = path.join(folder, 'number');
  fs.writeFileSync(number, '0');
  let left = 2;
  for (const after of ['1', '40'])
    spawn(process.execPath, [__filename, number, after], { stdio: 'ignore' }).on('exit', () => {
      if (--left > 0) return;
      const end = fs.readFileSync(number, 'utf8');
      fs.rmSync(folder, { recursive: true });
      if (end !== '2') throw new Error(`it is ${end}`);
    });
}
