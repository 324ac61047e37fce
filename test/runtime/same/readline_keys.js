// Keys from all that terminals send, whole and in pieces.
const { PassThrough } = require('stream');
const readline = require('readline');

const parts = ['\x1b', '\x1b[', '\x1bO', '[', 'O', '1', ';', '5', '2', '~', '^', '$', 'A', 'C', 'P', 'a', 'Z', ' ', '\r', '\n', '\t', '\x7f', '\b',
  '\x01', '\x1f', '\x00', 'é', '字', '200~', '[[A', '1;2D', '!'];
let seed = 11;
const random = (count) => (seed = (seed * 1103515245 + 12345) % 2147483648) % count;
const input = new PassThrough();
readline.emitKeypressEvents(input);
readline.emitKeypressEvents(input); // a second time changes nothing
input.on('keypress', (text, { sequence, name, ctrl, meta, shift, code }) =>
  console.log(JSON.stringify([text, sequence, name, ctrl, meta, shift, code])));
(async () => {
  for (const sequence of ['\x1b[A', '\x1b[1;5C', '\x1bOP', '\x1b[[A', '\x1b[15~', '\x1b[3$', '\x1b[Z', '\x1b[200~', '\x1bx', '\x1bX', 'Q', '😀', 'ab']) {
    input.write(sequence);
    await new Promise(setImmediate);
  }
  for (let i = 0; i < 300; i++) {
    let text = '';
    for (let count = 1 + random(5); count > 0; count--) text += parts[random(parts.length)];
    input.write(text);
    await new Promise(setImmediate);
  }
  process.exit();
})();
