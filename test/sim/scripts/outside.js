// A client that gives up a server after 100 ms, asks three times, and waits an hour in between. The server
// is at the port or path that is given, outside the world; or here, and answers after 50 ms.
const net = require('net');

const target = process.argv[2];
const began = Date.now();

function ask(options, done) {
  const socket = net.connect(options);
  let limit;
  let answers = 0;
  const question = () => {
    socket.write('question');
    limit = setTimeout(() => {
      console.log('no answer within 100 ms');
      process.exit(1);
    }, 100);
  };
  socket.on('connect', question);
  socket.on('data', () => {
    clearTimeout(limit);
    if (++answers < 3)
      setTimeout(question, 3600 * 1000);
    else
      socket.end();
  });
  socket.on('close', () => {
    console.log(`${answers} answers in ${Math.floor((Date.now() - began) / 3600000)} hours`);
    done();
  });
}

if (target) {
  ask(/^\d+$/.test(target) ? { port: Number(target), host: '127.0.0.1' } : { path: target }, () => {});
} else {
  const server = net.createServer((socket) => {
    socket.on('data', (data) => setTimeout(() => socket.write(data), 50));
    socket.on('end', () => socket.end());
  });
  server.listen(0, '127.0.0.1', () => ask({ port: server.address().port, host: '127.0.0.1' }, () => server.close()));
}
