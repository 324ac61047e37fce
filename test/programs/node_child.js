// The other side of node_features_processes.js: `node_child.js ROLE`.
'use strict';

const cluster = require('cluster');
const net = require('net');

const roles = {
  messages() {
    process.on('message', ({ i, pad }) => process.send({ i, length: pad.length }));
  },

  sockets() {
    process.on('message', (kind, handle) => {
      if (kind === 'end') process.exit(5);
      if (kind === 'socket') return handle.end('answered on a handed-over connection');
      handle.on('connection', (socket) => socket.end('answered on a handed-over server', () => handle.close()));
      process.send('listening');
    });
  },

  async cluster() {
    const workers = [cluster.fork(), cluster.fork()];
    const ports = await Promise.all(workers.map((worker) =>
      new Promise((resolve) => worker.on('listening', ({ port }) => resolve(port)))));
    const ask = () => new Promise((resolve) => {
      let answer = '';
      net.connect(ports[0], '127.0.0.1').on('data', (data) => { answer += data; }).on('close', () => resolve(answer));
    });
    const answers = new Set();
    for (let i = 0; i < 20; i++) answers.add(await ask());
    const codes = await Promise.all(workers.map((worker) => new Promise((resolve) => {
      worker.on('exit', (code) => resolve(code));
      worker.disconnect();
    })));
    process.send({ samePort: ports[0] === ports[1], workers: answers.size, codes });
    process.disconnect();
  },
};

if (cluster.isWorker) net.createServer((socket) => socket.end(String(cluster.worker.id))).listen(0, '127.0.0.1');
else roles[process.argv[2]]();
