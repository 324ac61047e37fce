'use strict';
// pg's pool against a server that speaks as much of its protocol as a query of one row takes.
// Connecting may take two seconds, a query three.
const net = require('net');
const { Pool } = require('pg');

const message = (type, ...parts) => {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int16 = (value) => { const bytes = Buffer.alloc(2); bytes.writeInt16BE(value); return bytes; };
const int32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeInt32BE(value); return bytes; };
const ready = message('Z', Buffer.from('I'));
const row = Buffer.concat([
  message('T', int16(1), 'n', int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)),
  message('D', int16(1), int32(1), Buffer.from('1')), message('C', 'SELECT 1'), ready]);

const server = net.createServer((socket) => {
  let started = false;
  let data = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (part) => {
    data = Buffer.concat([data, part]);
    for (;;) {
      const at = started ? 1 : 0;
      if (data.length < at + 4) return;
      const length = at + data.readInt32BE(at);
      if (data.length < length) return;
      const type = started ? String.fromCharCode(data[0]) : 'start';
      data = data.subarray(length);
      if (type === 'start') socket.write(Buffer.concat([message('R', int32(0)), ready]));
      else if (type === 'Q') socket.write(row);
      else if (type === 'X') socket.end();
      started = true;
    }
  });
});
server.listen(0, '127.0.0.1', async () => {
  const pool = new Pool({ host: '127.0.0.1', port: server.address().port, user: 'u', database: 'd', password: 'p', max: 3,
    connectionTimeoutMillis: 2000, query_timeout: 3000 });
  const results = await Promise.all(Array.from({ length: 12 }, () => pool.query('select 1 as n')));
  if (results.some(({ rows }) => rows[0].n !== '1')) throw new Error(JSON.stringify(results[0].rows));
  await pool.end();
  server.close();
});
