'use strict';
// Eight streams of one session of http2, each with a limit of five seconds.
const http2 = require('http2');
const { within } = require('./service');
const server = http2.createServer((request, response) => response.end('answer'));
server.listen(0, '127.0.0.1', async () => {
  const session = http2.connect(`http://127.0.0.1:${server.address().port}`);
  const get = () => new Promise((resolve, reject) => {
    let text = '';
    session.request({ ':path': '/' }).setEncoding('utf8').on('data', (part) => { text += part; })
      .on('end', () => resolve(text)).on('error', reject);
  });
  const all = await Promise.all(Array.from({ length: 8 }, () => within(5000, get(), 'a stream')));
  if (all.some((text) => text !== 'answer')) throw new Error(all.join());
  session.close();
  server.close();
});
