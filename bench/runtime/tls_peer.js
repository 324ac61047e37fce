'use strict';
// A TLS server on this machine with a P-256 certificate of openssl's making, which sends back what
// it gets: for tls_full.js, tls_resumed.js and tls_bulk.js.
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const tls = require('tls');

exports.listen = (ready) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-bench-'));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key', '-out', 'cert', '-days', '3',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], { cwd: folder, stdio: 'ignore' });
  const [key, cert] = ['key', 'cert'].map((name) => fs.readFileSync(path.join(folder, name)));
  fs.rmSync(folder, { recursive: true });
  const server = tls.createServer({ key, cert }, (socket) => socket.on('error', () => {}).pipe(socket));
  const secureContext = tls.createSecureContext({ ca: cert });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    ready((options) => tls.connect({ port, host: '127.0.0.1', servername: 'localhost', secureContext, ...options }), () => server.close());
  });
};

// Connections one after the other, each with one byte there and back; prints nanoseconds each.
exports.handshakes = (isResumed) => {
  const ROUNDS = 500;
  exports.listen((connect, close) => {
    let session;
    let count = 0;
    let start;
    const next = () => {
      if (count === 20) start = process.hrtime.bigint();
      if (count++ === ROUNDS + 20) {
        console.log(Number(process.hrtime.bigint() - start) / ROUNDS);
        close();
        return;
      }
      const socket = connect(isResumed ? { session } : {});
      socket.on('session', (fresh) => session = fresh);
      socket.on('secureConnect', () => {
        if (isResumed && count > 20 && !socket.isSessionReused()) throw new Error('not resumed');
        socket.write('x');
      });
      socket.on('data', () => socket.end()).on('close', next);
    };
    next();
  });
};
