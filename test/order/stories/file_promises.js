'use strict';
const fs = require('fs/promises');
(async () => {
  const text = await fs.readFile(__filename, 'utf8');
  console.log(text.length > 10);
  const handle = await fs.open(__filename);
  console.log((await handle.stat()).isFile());
  await handle.close();
  await fs.readFile('/nonexistent').catch((error) => console.log(error.code, error.message));
})().then(() => console.log('done'));
process.nextTick(() => console.log('tick'));
