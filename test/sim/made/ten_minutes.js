'use strict';
// A suite of ten minutes that does nothing but wait: time-outs, intervals, retries with back-off,
// a server that answers late. What it prints must be the same in virtual time.
const http = require('http');

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const cases = {
  'a time-out of a minute': () => pause(60e3),
  'ten intervals of six seconds': () => new Promise((resolve) => {
    let count = 0;
    const interval = setInterval(() => {
      if (++count === 10) {
        clearInterval(interval);
        resolve();
      }
    }, 6000);
  }),
  'a retry with back-off, one second to a minute': async () => {
    for (let wait = 1000; wait <= 64000; wait *= 2) await pause(wait);
  },
  'a limit that comes before the answer': () => Promise.race([pause(120e3), pause(30e3)]),
  'a server that answers after half a minute': () => new Promise((resolve, reject) => {
    const server = http.createServer((request, response) => setTimeout(() => response.end('late'), 30e3));
    server.listen(0, '127.0.0.1', () => {
      http.get({ port: server.address().port, host: '127.0.0.1' }, (response) => {
        response.on('data', () => {});
        response.on('end', () => server.close(resolve));
      }).on('error', reject);
    });
  }),
  'a thousand time-outs of up to a minute': () =>
    Promise.all(Array.from({ length: 1000 }, (_, n) => pause(n * 60))),
  'nearly four minutes, one second at a time': async () => {
    for (let second = 0; second < 233; second++) await pause(1000);
  },
};

const main = async () => {
  const begin = Date.now();
  for (const [name, body] of Object.entries(cases)) {
    const start = Date.now();
    await body();
    console.log(`ok ${name}: about ${10 * Math.round((Date.now() - start) / 10000)} s`);
  }
  console.log(`in all ${Math.round((Date.now() - begin) / 1000 / 60)} minutes`);
};
main();
