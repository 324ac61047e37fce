'use strict';
// FileHandle.readLines: what is a line, how it ends.
const fs = require('fs');
const os = require('os');
const path = require('path');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lines-'));
const file = path.join(folder, 'file');
const open = () => fs.promises.open(file);

(async () => {
  for (const text of ['a\nb\nc', 'a\r\nb\r\n', '', '\n', '\n\n', 'x\ry\r\nz', '\u00e9\u2028q\n', 'one', 'l1\n'.repeat(5), '\r', '\r\n'])
    for (const options of [undefined, { highWaterMark: 1 }, { encoding: 'latin1' }, { start: 1, end: 3 }]) {
      fs.writeFileSync(file, text);
      const handle = await open();
      const lines = [];
      for await (const line of handle.readLines(options)) lines.push(line);
      console.log(JSON.stringify(text), options, lines, handle.fd);
    }
  fs.writeFileSync(file, '1\n2\n3\n4');
  let handle = await open();
  for await (const line of handle.readLines()) {
    console.log(line);
    break;
  }
  console.log('left', handle.fd >= 0);
  await handle.close();
  handle = await open();
  const lines = handle.readLines();
  lines.on('line', (line) => console.log('line', line)).on('close', () => console.log('close'));
  await new Promise((resolve) => lines.once('close', resolve));
  handle = await open();
  const iterator = handle.readLines()[Symbol.asyncIterator]();
  console.log(await iterator.next(), await iterator.next(), await iterator.return());
  await handle.close();
  try {
    handle.readLines();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
  handle = await open();
  for await (const line of handle.readLines({ autoClose: false })) console.log(line);
  console.log(handle.fd >= 0);
  await handle.close();
  handle = await fs.promises.open(folder);
  try {
    for await (const line of handle.readLines()) console.log(line);
  } catch (error) {
    console.log(error.code);
  }
  fs.rmSync(folder, { recursive: true });
})();
