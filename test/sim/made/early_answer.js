'use strict';
// A client that gives up after a second, and a server that answers in two parts, which takes 0.3
// seconds. A late answer still counts, so that one request may have two ends. RACE_MENDED=1: who
// gives up hangs up.
const net = require('net');

const mended = process.env.RACE_MENDED === '1';
const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.write('half ');
  setTimeout(() => socket.end('whole'), 300);
});
server.listen(0, '127.0.0.1', () => {
  const ends = [];
  const client = net.connect(server.address().port, '127.0.0.1');
  const limit = setTimeout(() => {
    ends.push('gave up');
    if (mended) client.destroy();
  }, 1000);
  client.resume();
  client.on('end', () => {
    clearTimeout(limit);
    ends.push('complete');
  });
  client.on('close', () => {
    server.close();
    if (ends.length > 1) {
      console.log(`RACE: one request, and two ends: ${ends.join(', ')}`);
      process.exitCode = 1;
    }
  });
});
