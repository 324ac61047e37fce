'use strict';
// https: requests with and without an agent, sockets and sessions that are used again, client
// certificates, bodies both ways, upgrade, a proxy's tunnel, what goes wrong.
const { execFileSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const https = require('https');
const net = require('net');
const os = require('os');
const path = require('path');
const tls = require('tls');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-https-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key', '-out', 'cert', '-days', '30',
  '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], { cwd: folder, stdio: 'ignore' });
const own = { key: fs.readFileSync(path.join(folder, 'key')), cert: fs.readFileSync(path.join(folder, 'cert')) };
const ca = own.cert;
const log = console.log;
const numbers = new Map();
const number = (socket) => numbers.get(socket.remotePort) ?? numbers.set(socket.remotePort, numbers.size).get(socket.remotePort);

const server = https.createServer(own, (request, response) => {
  const { socket } = request;
  log('  server', request.method, request.url, number(socket), socket.encrypted, socket.isSessionReused(), socket.alpnProtocol, socket.servername);
  if (request.url === '/echo') {
    request.pipe(response);
  } else if (request.url === '/cut') {
    response.write('half');
    setImmediate(() => socket.destroy());
  } else {
    response.setHeader('X-Path', request.url);
    response.end(`hello ${request.url}`);
  }
});
server.on('tlsClientError', (error) => log('  server tlsClientError', error.code));
server.on('clientError', (error, socket) => {
  log('  server clientError', error.code);
  socket.destroy();
});
server.on('upgrade', (request, socket, head) => {
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
  socket.pipe(socket);
});

function ask(options, body) {
  return new Promise((done) => {
    const request = https.request({ host: 'localhost', port: server.address().port, ca, ...options }, (response) => {
      const { authorized, authorizationError } = response.socket;
      let text = '';
      response.on('data', (data) => text += data);
      response.on('end', () => log('  client', response.statusCode, text.length > 40 ? text.length : text, response.headers['x-path'], request.reusedSocket, authorized, authorizationError));
      response.on('error', (error) => log('  response', error.code, error.message));
    });
    request.on('error', (error) => log('  request', error.code, error.code === 'EPROTO' ? '' : error.reason ?? error.message));
    request.on('close', done);
    request.end(body);
  });
}
const title = (text) => log(`--- ${text}`);

server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  title('one request');
  await ask({ path: '/a', agent: false });
  title('the agent of all');
  await ask({ path: '/b' });
  await ask({ path: '/c' });
  https.globalAgent.destroy();
  await new Promise(setImmediate);
  title('a session goes on');
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
    const agent = new https.Agent({ maxVersion });
    for (const where of ['/d', '/e']) await ask({ path: where, agent });
    log('  kept', agent._sessionCache.list.length);
    const none = new https.Agent({ maxVersion, maxCachedSessions: 0 });
    for (const where of ['/f', '/g']) await ask({ path: where, agent: none });
  }
  title('names of sockets');
  const namer = new https.Agent();
  log(namer.getName({ host: 'a', port: 1, ca: 'x', rejectUnauthorized: false, servername: 'b', sigalgs: 'z' }), namer.getName(), namer.getName({ host: 'a', servername: 'a', secureOptions: 0 }));
  title('a body both ways');
  await ask({ path: '/echo', method: 'POST', agent: false }, 'x'.repeat(300000));
  title('nobody trusts it');
  await ask({ path: '/h', agent: false, ca: undefined });
  await ask({ path: '/i', agent: false, ca: undefined, rejectUnauthorized: false });
  await ask({ path: '/j', agent: false, servername: 'other.example' });
  title('cut off');
  await ask({ path: '/cut', agent: false });
  title('http to https, https to http');
  await new Promise((done) => http.get({ port, host: '127.0.0.1' }).on('error', (error) => log('  request', error.code)).on('close', done));
  const plain = http.createServer((request, response) => response.end()).on('clientError', (error, socket) => socket.destroy());
  await new Promise((done) => plain.listen(0, '127.0.0.1', done));
  await ask({ path: '/k', port: plain.address().port, agent: false });
  title('upgrade');
  await new Promise((done) => {
    https.get({ host: '127.0.0.1', port, ca, headers: { Connection: 'Upgrade', Upgrade: 'echo' }, agent: false })
      .on('upgrade', (response, socket) => {
        log('  client', response.statusCode, socket.encrypted);
        socket.on('data', (data) => {
          log('  echo', `${data}`);
          socket.end();
        }).on('close', done);
        socket.write('over TLS');
      });
  });
  title('through a tunnel');
  const proxy = http.createServer().on('connect', (request, socket) => {
    log('  proxy', request.url === `localhost:${port}`);
    const there = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    socket.on('error', () => {});
    there.on('error', () => {});
  });
  await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
  await new Promise((done) => http.request({ port: proxy.address().port, host: '127.0.0.1', method: 'CONNECT', path: `localhost:${port}`, agent: false })
    .on('connect', (response, socket) => {
      const secured = tls.connect({ socket, ca, servername: 'localhost' }, async () => {
        await ask({ path: '/tunnel', createConnection: () => secured });
        secured.destroy();
        done();
      });
    }).end());
  title('an aborted one');
  await new Promise((done) => {
    const request = https.get({ host: 'localhost', port, ca, path: '/l', agent: false }).on('error', (error) => log('  request', error.code)).on('close', done);
    request.destroy();
  });
  title('the end');
  https.globalAgent.destroy();
  process.exit(); // ends of tunnels stay open on the server
});
