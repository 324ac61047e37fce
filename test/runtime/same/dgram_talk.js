'use strict';
// Datagrams: binding, sending in all forms, connecting, closing, errors. When a datagram arrives is open, so what
// b saw is printed at the end.
const dgram = require('dgram');
const log = (...args) => console.log(...args);
const seen = [];
const b_log = (...args) => seen.push(args);
process.on('exit', () => seen.forEach((args) => log(...args)));
const a = dgram.createSocket('udp4');
const b = dgram.createSocket({ type: 'udp4' }, (message, from) => {
  const is_last = message.toString() === 'connected';  // a may have been disconnected since, and has another port then
  b_log('b got', message.toString(), from.address, from.family, from.size, is_last || from.port === a.address().port);
  if (message.toString() === 'five') b.send('answer', from.port, from.address);
  if (is_last) end();
});
for (const event of ['listening', 'close', 'connect', 'error']) {
  a.on(event, (error) => log('a', event, error ? error.code : ''));
  b.on(event, (error) => b_log('b', event, error ? error.code : ''));
}
a.on('message', (message) => {
  log('a got', message.toString());
  a.connect(b.address().port, '127.0.0.1', (error) => {
    log('connected', error, a.remoteAddress().address);
    try {
      a.connect(1);
    } catch (failed) {
      log(failed.code, failed.message);
    }
    a.send('connected', (failed, count) => {
      log('sent', failed, count);
      a.disconnect();
      try {
        a.disconnect();
      } catch (thrown) {
        log(thrown.code);
      }
      end();
    });
  });
});
// When a has sent its last datagram and b has got it.
let ready = 0;
function end() {
  if (++ready < 2) return;
  b.close(() => b_log('b close callback'));
  try {
    b.close();
  } catch (thrown) {
    log(thrown.code, thrown.message);
  }
  a.close();
}
b.bind(0, '127.0.0.1', () => {
  const { port } = b.address();
  log(b.address().address, b.address().family, typeof port);
  a.send('one', port, '127.0.0.1', (error, count) => {
    log('sent', error, count);
    a.send(Buffer.from('two'), port, '127.0.0.1');
    a.send(Buffer.from('xthreex'), 1, 5, port, '127.0.0.1');
    a.send(['fo', Buffer.from('ur')], port, '127.0.0.1', (failed, total) => {
      log('sent', failed, total);
      a.send('five', port);
    });
  });
  const second = dgram.createSocket('udp4');
  second.on('error', (error) => {
    log(error.code, error.syscall, error.address, error.message.replace(/:\d+$/, ':PORT'));
    second.close();
  });
  second.bind(port, '127.0.0.1');
});
for (const call of [
  () => dgram.createSocket('udp5'), () => dgram.createSocket(), () => a.send(), () => a.send('x', 0), () => a.send('x', 70000),
  () => a.send(5, 1), () => a.send('x', 1, 5), () => b.bind(0), () => a.setTTL('x'), () => a.disconnect(), () => a.remoteAddress(),
])
  try {
    call();
    log('nothing thrown');
  } catch (error) {
    log(error.name, error.code, error.message);
  }
