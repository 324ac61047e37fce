// A server that holds the loop up until a file is there, by parsing JSON ("json=FILE") or in
// microtasks ("tasks=FILE"), and prints when it begins to and when it is done.
'use strict';
const { existsSync } = require('fs');
const net = require('net');

function parseBigReport(file) {
  const text = JSON.stringify(Array.from({ length: 10000 }, (_, i) => ({ i })));
  let parsed = 0;
  while (!existsSync(file)) parsed += JSON.parse(text).length;
  return parsed;
}

async function hogStep(n) {
  let sum = 0;
  for (let i = 0; i < 200000; i++) sum += Math.sqrt(i * n);
  return sum;
}

async function hogMicrotasks(file) {
  let sum = 0;
  while (!existsSync(file)) sum += await hogStep(sum);
  return sum;
}

function onData(socket, data) {
  const [, kind, file] = /(json|tasks)=(.*)/.exec(String(data));
  const done = () => {
    console.log('stalled');
    socket.end('ok');
  };
  console.log('stalls');
  if (kind === 'tasks') {
    hogMicrotasks(file).then(done);
  } else {
    parseBigReport(file);
    done();
  }
}

const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => onData(socket, data));
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
