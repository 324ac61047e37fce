// Writes a file and reads it back, and never thinks that reading might fail.
const fs = require('fs');
const os = require('os');
const path = require('path');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'careless-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
fs.writeFile(path.join(folder, 'note'), 'text', (error) => {
  if (error) return;
  fs.readFile(path.join(folder, 'note'), 'utf8', (unexpected, text) => {
    if (text !== 'text') throw unexpected;
  });
});
