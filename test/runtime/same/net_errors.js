'use strict';
// What goes wrong with sockets and servers: codes, messages, properties.
const net = require('net');
const show = (name) => (error) => {
  const { message, ...rest } = error;
  console.log(name, error.name, error.message.replace(/:\d{4,5}\b/, ':PORT'), error.code, error.syscall, error.address, typeof error.port);
};
const steps = [
  (next) => net.connect(1, '127.0.0.1').on('error', show('refused')).on('close', (failed) => { console.log('close', failed); next(); }),
  (next) => net.connect('/no/such/socket').on('error', show('path')).on('close', (failed) => { console.log('close', failed); next(); }),
  (next) => net.connect(1, 'name.invalid').on('error', show('name')).on('close', (failed) => { console.log('close', failed); next(); }),
  (next) => net.createServer().on('error', (error) => { show('listen')(error); next(); }).listen('/no/such/dir/socket'),
  (next) => {
    const first = net.createServer().listen(0, '127.0.0.1', () => {
      const second = net.createServer().on('error', (error) => {
        show('in use')(error);
        console.log(second.listening);
        first.close(next);
      });
      second.listen(first.address().port, '127.0.0.1');
    });
  },
  (next) => net.createServer().close((error) => { show('not running')(error); next(); }),
  (next) => {
    const server = net.createServer().listen(0);
    try {
      server.listen(0);
    } catch (error) {
      show('twice')(error);
    }
    server.close(next);
  },
  (next) => {
    // After both have noticed the connection, in whichever order.
    let noticed = 0;
    let accepted;
    const reset = () => ++noticed === 2 && accepted.resetAndDestroy();
    const server = net.createServer((socket) => { accepted = socket; reset(); }).listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1', reset);
      client.on('error', show('reset')).on('close', (failed) => {
        console.log('close', failed);
        server.close(next);
      });
      client.resume();
    });
  },
  (next) => {
    const socket = new net.Socket();
    socket.on('error', show('unconnected'));
    socket.on('close', (failed) => { console.log('close', failed); next(); });
    socket.write('x', (error) => console.log('callback', error && error.code));
  },
  (next) => {
    const server = net.createServer((socket) => socket.destroy(new Error('on purpose')).on('error', (error) => console.log(error.message)));
    server.listen(0, '127.0.0.1', () => {
      net.connect(server.address().port, '127.0.0.1').resume().on('end', () => console.log('end')).on('close', (failed) => {
        console.log('close', failed);
        server.close(next);
      });
    });
  },
];
let at = 0;
(function next() {
  if (at < steps.length) steps[at++](next);
})();
for (const call of [
  () => net.connect({ port: 'x' }), () => net.connect({ port: 70000 }), () => net.connect(), () => net.connect({}),
  () => net.createServer().listen(70000), () => net.createServer().listen({}), () => net.connect({ port: 1, host: 5 }),
  () => new net.Socket().setTimeout('x'), () => net.createServer(5), () => new net.Socket({ fd: -1 }),
  () => new net.Socket({ objectMode: true }), () => net.connect({ port: 1, localAddress: 'x' }),
])
  try {
    call();
    console.log('nothing thrown');
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
console.log(net.isIP('1.2.3.4'), net.isIP('::1'), net.isIP('x'), net.isIP('1.2.3'), net.isIP(), net.isIPv4('1.1.1.1'), net.isIPv6('fe80::1%lo'));
