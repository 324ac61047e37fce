// How fast Node's event loop is: `node node_speed.js`.  Prints one JSON object,
// microseconds a call for the file calls; for the server, requests a second and
// microseconds of processor time a request, which a busy machine disturbs less.
'use strict';

const fs = require('fs');
const http = require('http');
const { once } = require('events');

const MEASURE_MS = Number(process.env.MEASURE_MS) || 700;

// Calls one after the other until the time is over, after a warm-up for the compiler.
async function perCall(run) {
  for (let i = 0; i < 500; i++) await run();
  const start = process.hrtime.bigint();
  let calls = 0;
  let took;
  do {
    for (let i = 0; i < 50; i++) await run();
    calls += 50;
    took = Number(process.hrtime.bigint() - start);
  } while (took < MEASURE_MS * 1e6);
  return took / calls / 1000;
}

// Kept-alive connections with one request under way on each.
async function requests(connections) {
  const server = http.createServer((request, response) => response.end('hello world'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  let running = true;
  let answered = 0;
  const ask = () => new Promise((resolve, reject) => {
    http.get({ port, host: '127.0.0.1', agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
  });
  const clients = Array.from({ length: connections }, async () => {
    while (running) {
      await ask();
      answered++;
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = answered;
  const start = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, MEASURE_MS * 2));
  const rate = (answered - before) / (Number(process.hrtime.bigint() - start) / 1e9);
  const { user, system } = process.cpuUsage(cpu);
  const cost = (user + system) / (answered - before);
  running = false;
  await Promise.all(clients);
  agent.destroy();
  server.close();
  return { rate, cost };
}

async function main() {
  fs.writeFileSync('speed-file', 'x'.repeat(1024));
  const readFile = await perCall(() => fs.promises.readFile('speed-file'));
  const stat = await perCall(() => fs.promises.stat('speed-file'));
  const { rate, cost } = await requests(20);
  const result = { readFile, stat, http: rate, httpCpu: cost };
  console.log(JSON.stringify(result));
}

main();
