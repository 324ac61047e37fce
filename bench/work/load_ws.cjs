// COUNT WebSockets, each with one message under way; prints how many seconds REQUESTS took.
'use strict';
const WebSocket = require(require('node:path').join(process.cwd(), 'node_modules', 'ws'));
const [port, count, requests] = process.argv.slice(2).map(Number);
const text = 'x'.repeat(200);
let sent = 0, back = 0, total = 0, finish;

function message(socket) {
  if (++back === total) finish();
  if (sent < total) {
    sent++;
    socket.send(text);
  }
}

function rush(sockets, messages) {
  sent = Math.min(messages, sockets.length);
  back = 0;
  total = messages;
  return new Promise((resolve) => {
    finish = resolve;
    for (const socket of sockets.slice(0, sent)) socket.send(text);
  });
}

async function main() {
  const sockets = await Promise.all(Array.from({ length: count }, () => new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    socket.on('open', () => resolve(socket)).on('error', reject).on('message', () => message(socket));
  })));
  await rush(sockets, Math.max(count, requests / 5)); // warm
  const began = process.hrtime.bigint();
  await rush(sockets, requests);
  console.log(Number(process.hrtime.bigint() - began) / 1e9);
  process.exit();
}
main();
