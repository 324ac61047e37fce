'use strict';
// 200 MB through TLS there and back, client and server in one process; prints nanoseconds a megabyte.
const chunk = Buffer.alloc(1e6, 'x');
const COUNT = 200;
require('./tls_peer').listen((connect, close) => {
  const socket = connect();
  let got = 0;
  let sent = 0;
  let start;
  const send = () => {
    while (sent < COUNT) {
      sent++;
      if (!socket.write(chunk)) {
        socket.once('drain', send);
        return;
      }
    }
  };
  socket.on('secureConnect', () => {
    start = process.hrtime.bigint();
    send();
  });
  socket.on('data', (data) => {
    got += data.length;
    if (got < COUNT * chunk.length) return;
    console.log(Number(process.hrtime.bigint() - start) / COUNT);
    socket.destroy();
    close();
  });
});
