// Sockets of every kind, names, and the protocols Node builds on them.
'use strict';
/* global feature, failure, listen, sleep, fetch */

const crypto = require('crypto');
const dgram = require('dgram');
const dns = require('dns');
const http = require('http');
const http2 = require('http2');
const net = require('net');
const { once } = require('events');

const sum = (data) => crypto.createHash('sha1').update(data).digest('hex').slice(0, 12);

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function echoThrough(server, connectTo, clients, size) {
  const payload = crypto.createHash('sha512').update('seed').digest();
  const data = Buffer.concat(Array.from({ length: Math.ceil(size / payload.length) }, () => payload));
  const answers = await Promise.all(Array.from({ length: clients }, async () => {
    const socket = net.connect(connectTo);
    socket.end(data);
    return sum(await collect(socket));
  }));
  return [answers.length, answers.every((answer) => answer === sum(data))];
}

feature('tcp: thirty clients, 200 kB each, echoed', async () => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  const { port } = await listen(server, 0, '127.0.0.1');
  const result = await echoThrough(server, { port, host: '127.0.0.1' }, 30, 200000);
  server.close();
  return result;
});

feature('tcp over IPv6', async () => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  try {
    const { port, family } = await listen(server, 0, '::1');
    const result = await echoThrough(server, { port, host: '::1' }, 3, 1000);
    return [family, ...result];
  } catch (error) {
    return failure(error);
  } finally {
    server.close();
  }
});

feature('unix sockets: ten clients, 1 MB each, echoed', async () => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await listen(server, 'echo.sock');
  const result = await echoThrough(server, { path: 'echo.sock' }, 10, 1000000);
  server.close();
  return result;
});

feature('a slow reader holds the writer back', async () => {
  const server = net.createServer((socket) => {
    socket.pause();
    setTimeout(() => socket.resume(), 50);
    socket.on('end', () => socket.end());
  });
  const { port } = await listen(server, 0, '127.0.0.1');
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let refused = 0;
  for (let i = 0; i < 40; i++) if (!socket.write(Buffer.alloc(1 << 18))) refused++;
  const drained = once(socket, 'drain');
  const queued = socket.writableLength > 0;
  await drained;
  socket.end();
  socket.resume();
  await once(socket, 'close');
  server.close();
  return [refused > 0, queued, socket.bytesWritten];
});

feature('connections that fail say why', async () => {
  const refused = await once(net.connect(1, '127.0.0.1'), 'connect').catch(failure);
  const missing = await once(net.connect('missing.sock'), 'connect').catch(failure);
  const server = net.createServer();
  const { port } = await listen(server, 0, '127.0.0.1');
  const second = net.createServer();
  second.listen(port, '127.0.0.1');
  const [error] = await once(second, 'error');
  server.close();
  return [refused, missing, failure(error)];
});

feature('timeouts, resets and counts of a socket', async () => {
  const server = net.createServer();
  const { port } = await listen(server, 0, '127.0.0.1');
  const client = net.connect(port, '127.0.0.1');
  const [peer] = await once(server, 'connection');
  client.setNoDelay(true).setKeepAlive(true, 1000).setTimeout(20);
  await once(client, 'timeout');
  const count = await new Promise((resolve) => server.getConnections((error, n) => resolve(n)));
  peer.resetAndDestroy();
  const reset = await once(client, 'data').catch(failure);
  server.close();
  return [count, reset];
});

feature('http: kept-alive requests, bodies both ways', async () => {
  const server = http.createServer(async (request, response) => {
    const body = await collect(request);
    response.setHeader('x-length', body.length);
    response.write(`${request.method} ${request.url} `);
    setImmediate(() => response.end(sum(body)));
  });
  const { port } = await listen(server, 0, '127.0.0.1');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 5 });
  const ask = (i) => new Promise((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', agent, method: 'POST', path: `/${i}` }, async (response) => {
      resolve([response.statusCode, response.headers['x-length'], String(await collect(response))].join(' '));
    });
    request.on('error', reject);
    request.write(Buffer.alloc(i * 100, i));
    request.end();
  });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(i)));
  agent.destroy();
  server.close();
  return [answers.length, sum(answers.join('\n')), answers[7]];
});

feature('http: fetch, and a request given up', async () => {
  const server = http.createServer((request, response) => {
    if (request.url === '/never') return;
    response.end('hello');
  });
  const { port } = await listen(server, 0, '127.0.0.1');
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
  const control = new AbortController();
  const never = fetch(`http://127.0.0.1:${port}/never`, { signal: control.signal }).catch((error) => error.name);
  setTimeout(() => control.abort(), 20);
  const result = [answer.status, await answer.text(), await never];
  server.closeAllConnections();
  server.close();
  return result;
});

feature('http2: many streams on one connection', async () => {
  const server = http2.createServer();
  server.on('stream', (stream, headers) => stream.end(headers[':path']));
  const { port } = await listen(server, 0, '127.0.0.1');
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const answers = await Promise.all(Array.from({ length: 50 }, async (_, i) =>
    String(await collect(session.request({ ':path': `/${i}` })))));
  session.close();
  server.close();
  return [answers.length, sum(answers.join())];
});

feature('udp: datagrams echoed, connected and not', async () => {
  const server = dgram.createSocket('udp4');
  server.on('message', (message, from) => server.send(message, from.port, from.address));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const client = dgram.createSocket('udp4');
  const answers = [];
  for (let i = 0; i < 20; i++) {
    client.send(`datagram ${i}`, server.address().port, '127.0.0.1');
    const [message, from] = await once(client, 'message');
    answers.push(`${message} ${from.size}`);
  }
  const connected = dgram.createSocket('udp4');
  connected.connect(server.address().port, '127.0.0.1');
  await once(connected, 'connect');
  connected.send(['several ', 'parts']);
  const [joined] = await once(connected, 'message');
  const sizes = [client.getRecvBufferSize() > 0, client.getSendQueueSize(), client.getSendQueueCount()];
  for (const socket of [server, client, connected]) socket.close();
  return [sum(answers.join()), String(joined), sizes];
});

feature('udp: options and multicast membership', async () => {
  const socket = dgram.createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(0);
  await once(socket, 'listening');
  const attempt = (call) => {
    try {
      return call() === undefined ? 'done' : 'value';
    } catch (error) {
      return failure(error);
    }
  };
  const result = [
    attempt(() => socket.setBroadcast(true)), attempt(() => socket.setTTL(7)),
    attempt(() => socket.setMulticastTTL(9)), attempt(() => socket.setMulticastLoopback(true)),
    attempt(() => socket.addMembership('224.0.0.114', '127.0.0.1')),
    attempt(() => socket.dropMembership('224.0.0.114', '127.0.0.1')),
    attempt(() => socket.addMembership('10.0.0.1')),
  ];
  socket.close();
  return result;
});

feature('names are looked up in the pool', async () => {
  const lookup = (...rest) => dns.promises.lookup(...rest).catch((error) => error.code);
  return Promise.all([
    lookup('localhost', { family: 4 }), lookup('127.0.0.1'), lookup('::1'), lookup('localhost', { family: 4, all: true }),
    dns.promises.lookupService('127.0.0.1', 80).catch((error) => error.code),
    lookup('no such name'),
  ]);
});

feature('a socket that nobody waits for does not hold the loop', async () => {
  const server = net.createServer();
  await listen(server, 0, '127.0.0.1');
  server.unref();
  const idle = dgram.createSocket('udp4').unref();
  idle.bind(0);
  await sleep(5);
  return 'left open, unreferenced';
});
