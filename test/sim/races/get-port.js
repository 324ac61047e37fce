'use strict';
// get-port 4.2.0, sindresorhus/get-port#23: until the one who asked listens, the next who asks gets
// the same port. Mended: each listens at once. (5.1.0 keeps a port back for 15 seconds, which is
// mostly enough.)
const fs = require('fs');
const net = require('net');
const getPort = require('get-port');
const { run, inside, pause, mended } = require('./race');

run(async () => {
  const host = `127.1.${(process.pid >> 8) & 255}.${process.pid & 255}`;  // its own: several runs at once
  const servers = [];
  const start = async (name) => {
    const port = await getPort({ port: 3000, host });
    const publish = () => fs.promises.writeFile(inside(`${name}.port`), `${port}\n`);
    const server = net.createServer();
    servers.push(server);
    if (!mended) await publish();
    await new Promise((resolve, reject) => server.on('error', reject).listen(port, host, resolve));
    if (mended) await publish();
  };
  const started = [];
  for (const name of ['web', 'admin', 'metrics']) {
    started.push(start(name));
    await pause(500);  // one after the other, so that the logs read well
  }
  await Promise.all(started);
  for (const server of servers) server.close();
});
