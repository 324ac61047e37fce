'use strict';
// await readFile of a 1 KB file, one at a time.
const fs = require('fs');
const os = require('os');
const path = require('path');
const COUNT = 5000;
const name = path.join(os.tmpdir(), `rondo-bench-${process.pid}.txt`);
fs.writeFileSync(name, 'x'.repeat(1024));
(async () => {
  for (let i = 0; i < 100; i++) await fs.promises.readFile(name);
  const start = performance.now();
  for (let i = 0; i < COUNT; i++) await fs.promises.readFile(name);
  console.log((performance.now() - start) * 1e6 / COUNT);
  fs.unlinkSync(name);
})();
