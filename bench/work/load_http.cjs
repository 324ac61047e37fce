// A client that keeps COUNT connections busy, and prints how many seconds REQUESTS took.
'use strict';
const http = require('node:http');
const [port, count, requests] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: count });

function get(number) {
  return new Promise((resolve, reject) => {
    http.get({ port, host: '127.0.0.1', path: `/items/${number}`, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve);
    }).on('error', reject);
  });
}

async function rush(total) {
  let sent = 0;
  await Promise.all(Array.from({ length: count }, async () => {
    while (sent < total) await get(sent++);
  }));
}

async function main() {
  await rush(Math.max(count, requests / 5)); // warm
  const began = process.hrtime.bigint();
  await rush(requests);
  console.log(Number(process.hrtime.bigint() - began) / 1e9);
  agent.destroy();
}
main();
