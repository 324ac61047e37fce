// Waits for one key in a terminal.
process.stdin.setRawMode(true);
process.stdin.once('data', (key) => {
  process.stdin.setRawMode(false);
  console.log('got', String(key));
  process.exit(0);
});
console.log('ready');
