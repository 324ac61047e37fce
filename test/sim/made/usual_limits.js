'use strict';
// Two tests of ten requests in a row, each request over a connection of its own through a file, and
// each test with a limit of two seconds, as mocha has it. It fails in no schedule but with --expire.
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

const file = path.join(os.tmpdir(), `rondo-sim-${process.pid}`);
const server = net.createServer((socket) => {
  socket.on('data', (data) => fs.writeFile(file, data, () => fs.readFile(file, (error, text) => socket.end(text))));
});
const request = (port, text) => new Promise((resolve, reject) => {
  let answer = '';
  net.connect(port, '127.0.0.1', function connected() { this.write(text); }).setEncoding('utf8')
    .on('data', (part) => { answer += part; }).on('end', () => resolve(answer)).on('error', reject);
});
const test = async (name, body) => {
  const limit = setTimeout(() => {
    console.log(`LIMIT: ${name} takes longer than two seconds`);
    process.exit(1);
  }, 2000);
  await body();
  clearTimeout(limit);
};

server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  for (const name of ['one after the other', 'the same again']) {
    await test(name, async () => {
      for (let n = 0; n < 10; n++) {
        if (await request(port, `text ${n}`) !== `text ${n}`) throw new Error('another answer');
        if (n % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
  }
  server.close();
  fs.unlinkSync(file);
});
