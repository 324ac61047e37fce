'use strict';
// A pool of four connections for thirty queries of 50 ms; a query and the wait for a connection may
// each take five seconds.
const net = require('net');
const { createPool } = require('generic-pool');
const { pause, within } = require('./service');
(async () => {
  const server = net.createServer((socket) => socket.on('data', async (data) => {
    await pause(50);
    socket.write(data);
  }));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = createPool({
    create: () => new Promise((resolve, reject) => {
      const socket = net.connect(server.address().port, '127.0.0.1', () => resolve(socket)).on('error', reject);
    }),
    destroy: async (socket) => { socket.destroy(); },
  }, { max: 4, min: 1, acquireTimeoutMillis: 5000 });
  const query = (text) => pool.use((socket) => within(5000, new Promise((resolve) => {
    socket.once('data', (data) => resolve(String(data)));
    socket.write(text);
  }), 'a query'));
  const texts = Array.from({ length: 30 }, (_, n) => `select ${n}`);
  const rows = await Promise.all(texts.map(query));
  if (rows.join() !== texts.join()) throw new Error(rows.join());
  await pool.drain();
  await pool.clear();
  server.close();
})();
