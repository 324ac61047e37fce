// A server that holds the loop up for as long as it is asked to, by parsing JSON ("ms=3000") or in
// microtasks ("tasks=3000"), and prints when it begins to and when it is done.
'use strict';
const net = require('net');

function parseBigReport(ms) {
  const text = JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i })));
  const end = Date.now() + ms;
  let parsed = 0;
  while (Date.now() < end) parsed += JSON.parse(text).length;
  return parsed;
}

function onData(socket, data) {
  const asked = /ms=(\d+)/.exec(String(data));
  const hogged = /tasks=(\d+)/.exec(String(data));
  if (hogged) {
    console.log('stalls');
    hogMicrotasks(Number(hogged[1])).then(() => {
      console.log('stalled');
      socket.end('ok');
    });
    return;
  }
  if (asked) {
    console.log('stalls');
    parseBigReport(Number(asked[1]));
    console.log('stalled');
  }
  socket.end('ok');
}

const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => onData(socket, data));
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));

async function hogStep(n) {
  let sum = 0;
  for (let i = 0; i < 20000; i++) sum += Math.sqrt(i * n);
  return sum;
}

async function hogMicrotasks(ms) {
  const end = Date.now() + ms;
  let sum = 0;
  while (Date.now() < end) sum += await hogStep(sum);
}
