// Waits for its standard input, and for no time.
process.stdin.setEncoding('utf8');
process.stdin.once('data', (text) => {
  console.log('got', text.trim());
  process.stdin.pause();
  process.exit(0);
});
console.log('waits');
