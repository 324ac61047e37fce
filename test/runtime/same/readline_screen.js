// What keys do to a line on a terminal: every byte that is written to it.
const { PassThrough, Writable } = require('stream');
const readline = require('readline');

function terminal(columns) {
  const input = new PassThrough();
  input.isTTY = true;
  input.setRawMode = (mode) => console.log('raw', mode);
  let written = '';
  const output = new Writable({ decodeStrings: false, write(chunk, encoding, callback) { written += chunk; callback(); } });
  Object.assign(output, { isTTY: true, columns });
  return { input, output, taken: () => { const text = written; written = ''; return text; } };
}

const words = ['hello', 'help', 'hero', 'foo', 'foobar', '字幕', '字母'];
const completer = (line) => {
  const word = line.split(' ').pop();
  return [words.filter((each) => each.startsWith(word)), word];
};
const keys = {
  begin: '\x01', left: '\x02', delete: '\x1b[3~', end: '\x05', right: '\x06', backspace: '\x7f', cutRight: '\x0b', screen: '\x0c', down: '\x1b[B',
  up: '\x1b[A', older: '\x10', newer: '\x0e', cutLeft: '\x15', wordCut: '\x17', yank: '\x19', older_cut: '\x1by', wordLeft: '\x1bb', wordRight: '\x1bf',
  wordDelete: '\x1bd', undo: '\x1f', redo: '\x1e', tab: '\t', enter: '\r', home: '\x1b[H', last: '\x1b[F', ctrlLeft: '\x1b[1;5D', ctrlRight: '\x1b[1;5C',
  cutWordLeft: '\x1b\x7f', deleteWordRight: '\x1b[3;5~', linesLeft: '\x1b[3;6~', a: 'a', space: ' ', wide: '字', pair: '😀', f: 'f', h: 'h', dot: '.',
};
let seed = 5;
const random = (count) => (seed = (seed * 1103515245 + 12345) % 2147483648) % count;
const names = Object.keys(keys);

async function session(columns, count) {
  const { input, output, taken } = terminal(columns);
  const rl = readline.createInterface({ input, output, completer, prompt: 'p> ', historySize: 5, removeHistoryDuplicates: true, tabSize: 4 });
  rl.on('line', (line) => {
    console.log('line', JSON.stringify(line), JSON.stringify(rl.history));
    rl.prompt();
  });
  rl.prompt();
  for (let i = 0; i < count; i++) {
    const name = names[random(names.length)];
    input.write(keys[name]);
    await new Promise(setImmediate);
    console.log(name, JSON.stringify(taken()), JSON.stringify(rl.line), rl.cursor, JSON.stringify(rl.getCursorPos()), rl.historyIndex);
  }
  rl.close();
  console.log('closed', JSON.stringify(taken()));
}

(async () => {
  await session(30, 250);
  await session(7, 250);
  await session(undefined, 100);
})();
