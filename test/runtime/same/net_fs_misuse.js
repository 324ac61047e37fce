'use strict';
// Handles used after their end, twice, or in the wrong order.
const fs = require('fs');
const net = require('net');
const log = (...args) => console.log(...args);
process.on('uncaughtException', (error) => log('uncaught', error.code, error.message));
const socket = new net.Socket();
socket.destroy();
socket.destroy();
socket.end();
socket.setNoDelay().setKeepAlive(true, 1000).setTimeout(5).ref().unref();
log(socket.address(), socket.remoteAddress, socket.readyState, socket.destroyed);
socket.on('error', (error) => log('error', error.code));
socket.write('x', (error) => log('callback', error.code));
const server = net.createServer();
log(server.address(), server.listening);
server.on('close', () => log('close'));
server.close((error) => log(error.code));
server.close((error) => log(error.code));
const listening = net.createServer().listen(0, '127.0.0.1');
log(listening.address() !== null);
listening.close();
listening.close();
const again = net.createServer().listen(0, '127.0.0.1', () => {
  again.close(() => again.listen(0, '127.0.0.1', () => {
    log('listening again');
    again.close();
    reconnect();
  }));
});
function reconnect() {
  const echo = net.createServer((client) => client.end('hello')).listen(0, '127.0.0.1', () => {
    const client = net.connect(echo.address().port, '127.0.0.1');
    let times = 0;
    client.on('data', (data) => log(data.toString()));
    client.on('close', () => {
      if (++times === 2) {
        echo.close(files);
        return;
      }
      client.connect(echo.address().port, '127.0.0.1');
    });
  });
}
// One after the other: the order of independent requests is nobody's promise.
function files() {
  const stream = fs.createReadStream(__filename);
  stream.close(() => log('closed'));
  stream.close(() => {
    log('closed again');
    writing();
  });
}
function writing() {
  const out = fs.createWriteStream('/dev/null');
  out.end();
  out.end();
  out.on('error', (error) => log('out', error.code));
  out.on('close', () => {
    out.write('x', (error) => log('late', error.code));
    const watcher = fs.watch('/tmp');
    watcher.close();
    watcher.close();
    const dir = fs.opendirSync('/tmp');
    dir.close().then(() => dir.close()).catch((error) => log(error.code)).then(() =>
      fs.promises.open(__filename)).then(async (handle) => {
      await Promise.all([handle.close(), handle.close()]);
      await handle.stat().catch((error) => log(error.code, error.message));
    });
  });
}
