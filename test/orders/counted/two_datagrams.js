// 2: what two sockets have received is noticed in any order
const dgram = require('dgram');
const sender = dgram.createSocket('udp4');
let bound = 0;
let left = 2;
const sockets = ['a', 'b'].map((name) => dgram.createSocket('udp4').on('message', () => {
  console.log(name);
  if (--left === 0) for (const socket of [...sockets, sender]) socket.close();
}));
for (const socket of sockets) {
  socket.bind(0, '127.0.0.1', () => {
    if (++bound === 2) for (const each of sockets) sender.send('x', each.address().port, '127.0.0.1');
  });
}
