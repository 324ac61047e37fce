'use strict';
// A connection from beginning to end, as each side sees it: which side is served first is open, so what the
// server saw is printed after what the client saw.
const net = require('net');
const log = (...args) => console.log(...args);
const seen = [];
const server_log = (...args) => seen.push(args);
process.on('exit', () => seen.forEach((args) => log(...args)));
const server = net.createServer((socket) => {
  server_log('server: connection', server._connections, socket.readyState, typeof socket.remotePort, socket.remoteAddress);
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    server_log('server: data', text);
    socket.write(text.toUpperCase());
  });
  socket.on('end', () => server_log('server: end', socket.readyState));
  socket.on('finish', () => server_log('server: finish'));
  socket.on('close', (failed) => server_log('server: close', failed));
});
server.on('listening', () => log('listening', server.listening, server.address().address, server.address().family));
server.on('close', () => server_log('server closed', server.listening, server.address()));
server.listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1');
  log('connecting', client.connecting, client.pending, client.readyState);
  for (const event of ['lookup', 'connect', 'ready', 'end', 'finish', 'close', 'drain'])
    client.on(event, (value) => log('client:', event, event === 'close' ? value : ''));
  client.on('connect', () => {
    log(client.remoteAddress, client.localAddress, client.remoteFamily, client.remotePort === server.address().port);
    log(client.write('hello', () => log('client: written')));
    process.nextTick(() => log('tick'));
    setImmediate(() => log('immediate'));
  });
  client.once('data', (data) => {
    log('client: data', data.toString(), client.bytesRead, client.bytesWritten);
    server.getConnections((error, count) => {
      log('connections', error, count);
      client.end('bye', () => log('client: ended'));
      client.on('data', (more) => log('client: data', more.toString()));
    });
  });
  client.on('close', () => {
    log(client.destroyed, client.readyState, client.bytesRead, client.bytesWritten, client.address());
    log(client.write('late', (error) => log('late', error.code)));
    server.close((error) => log('close callback', error));
  });
  client.on('error', (error) => log('client: error', error.code, error.message));
});
