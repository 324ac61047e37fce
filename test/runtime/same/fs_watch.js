'use strict';
// fs.watch: what happens in a directory, closing, a path that isn't there.
const fs = require('fs');
const os = require('os');
const path = require('path');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-'));
const seen = new Set();
try {
  fs.watch(path.join(dir, 'none'));
} catch (error) {
  console.log(error.code, error.syscall, error.message.replace(dir, 'DIR'), error.filename.replace(dir, 'DIR'));
}
const watcher = fs.watch(dir, (event, name) => {
  seen.add(`${event} ${name}`);
  if (seen.has('rename a') && seen.has('change a')) watcher.close();
});
watcher.on('close', () => {
  console.log([...seen].sort().join(), 'closed');
  watcher.close();
  const control = new AbortController();
  fs.watch(dir, { signal: control.signal }).on('close', () => {
    console.log('aborted');
    const quiet = fs.watch(dir, { persistent: false });
    console.log(typeof quiet.ref, quiet.unref() === quiet);
    fs.watchFile(path.join(dir, 'a'), { interval: 20 }, (now, before) => {
      clearInterval(growing);
      console.log('watchFile', now.size > before.size, before.size > 0, now instanceof fs.Stats);
      fs.unwatchFile(path.join(dir, 'a'));
      fs.rmSync(dir, { recursive: true });
    });
    // Nobody says when the first look was taken, so it grows until it is seen to.
    const growing = setInterval(() => fs.appendFileSync(path.join(dir, 'a'), 'more'), 60);
  });
  control.abort();
});
fs.writeFileSync(path.join(dir, 'a'), 'x');
