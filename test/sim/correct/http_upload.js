'use strict';
// A megabyte in two hundred parts, with a pause now and then.
const http = require('http');
const { start, pause } = require('./service');
(async () => {
  const service = await start();
  const request = http.request({ port: service.port, host: '127.0.0.1', method: 'PUT', path: '/big', agent: false });
  const answer = new Promise((resolve, reject) => request.on('response', resolve).on('error', reject));
  for (let n = 0; n < 200; n++) {
    if (!request.write(Buffer.alloc(5000, n))) await new Promise((resolve) => request.once('drain', resolve));
    if (n % 50 === 0) await pause(100);
  }
  request.end();
  const response = await answer;
  response.resume();
  await new Promise((resolve) => response.on('end', resolve));
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  await service.stop();
})();
