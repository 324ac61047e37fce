'use strict';
// A client that gives up after a second, and a server that answers at once. The time-out is not
// cleared by the answer's first bytes: an answer in two parts may be given up and complete.
// RACE_MENDED=1: the first bytes clear it.
const net = require('net');

const mended = process.env.RACE_MENDED === '1';
const server = net.createServer((socket) => {
  socket.write('half ');
  setTimeout(() => socket.end('whole'), 300);
});
server.listen(0, '127.0.0.1', () => {
  let text = '';
  let gave_up = false;
  const client = net.connect(server.address().port, '127.0.0.1');
  const limit = setTimeout(() => { gave_up = true; }, 1000);
  client.on('data', (part) => {
    text += part;
    if (mended) clearTimeout(limit);
  });
  client.on('end', () => {
    clearTimeout(limit);
    if (gave_up && text === 'half whole' && !mended) {
      console.log('RACE: the answer is complete, and the client has given up');
      process.exitCode = 1;
    }
    client.end();
    server.close();
  });
});
