'use strict';
// Garbage instead of a handshake, peers that vanish or say nothing, truncated and forged records,
// handshakes without end, ends of one side, much data, listeners that destroy, TLS over any stream.
const { execFileSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { Duplex } = require('stream');
const tls = require('tls');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-tls-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key', '-out', 'cert', '-days', '30',
  '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], { cwd: folder, stdio: 'ignore' });
const own = { key: fs.readFileSync(path.join(folder, 'key')), cert: fs.readFileSync(path.join(folder, 'cert')) };
const trust = { ca: own.cert, servername: 'localhost' };
const open = [];
const log = (...words) => console.log(...words.filter((word) => word !== undefined));
const words = ({ code, message, reason, syscall }) => `${code} ${syscall ?? ''} ${reason ?? message.replace(/[0-9A-F]+:error:.*/s, '…')}`;
const watch = (name, socket, events) => {
  for (const event of events.split(' ')) socket.on(event, (value) => log(' ', name, event, value instanceof Error ? words(value) : typeof value === 'boolean' ? value : undefined));
  return socket;
};
const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const closed = (server) => new Promise((done) => server.close(done));
const ended = (socket) => new Promise((done) => socket.once('close', done));
const connect = (port, more) => tls.connect({ port, host: '127.0.0.1', ...trust, ...more });

async function withServer(title, options, run, listener) {
  log(`--- ${title}`);
  const server = tls.createServer({ ...own, ...options }, listener);
  watch('server', server, 'tlsClientError');
  server.on('tlsClientError', (error, socket) => socket.destroy());
  let left = 0;
  server.on('connection', (raw) => {
    left++;
    raw.on('close', () => left-- === 1 && server.emit('left'));
  });
  await run(await listen(server), server);
  if (left > 0) await new Promise((done) => server.once('left', done));
  await closed(server);
}

async function withPeer(title, answer, run) {
  log(`--- ${title}`);
  const server = net.createServer((socket) => {
    answer(socket);
    socket.on('error', () => {}).resume();
  });
  await run(await listen(server));
  await closed(server);
}

const raw = (port, act) => new Promise((done) => {
  const socket = net.connect(port, '127.0.0.1', () => act(socket));
  socket.on('error', () => {}).on('close', done).resume();
});

// A client's first flight, as it is.
const firstFlight = () => new Promise((done) => {
  const server = net.createServer((socket) => socket.once('data', (data) => {
    socket.destroy();
    server.close(() => done(data));
  }));
  server.listen(0, '127.0.0.1', () => connect(server.address().port).on('error', () => {}));
});

(async () => {
  const hello = await firstFlight();
  await withServer('http instead of a handshake', {}, (port) => raw(port, (socket) => socket.write('GET / HTTP/1.1\r\n\r\n')));
  await withServer('zeros', {}, (port) => raw(port, (socket) => socket.write(Buffer.alloc(300))));
  await withServer('a record of another version', {}, (port) => raw(port, (socket) => socket.write(Buffer.from([22, 9, 9, 0, 5, 1, 2, 3, 4, 5]))));
  await withServer('a record that is too long', {}, (port) => raw(port, (socket) => socket.write(Buffer.from([22, 3, 1, 255, 255, 1]))));
  await withServer('a hello that breaks off', {}, (port) => raw(port, (socket) => socket.end(hello.subarray(0, 60))));
  await withServer('a hello that breaks off with a reset', {}, (port) => raw(port, (socket) => socket.write(hello.subarray(0, 60), () => setImmediate(() => socket.destroy()))));
  await withServer('a hello byte by byte, then the end', {}, (port) => raw(port, async (socket) => {
    socket.setNoDelay();
    for (const byte of hello) await new Promise((next) => socket.write(Buffer.from([byte]), next));
    socket.once('data', () => socket.end());
  }));
  await withServer('silence', { handshakeTimeout: 100 }, (port) => raw(port, () => {}));

  const client = async (port, more) => {
    const socket = watch('client', connect(port, more), 'secureConnect end error close');
    await ended(socket);
    log('  destroyed', socket.destroyed, socket.authorized);
  };
  await withPeer('a server that speaks http', (socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'), (port) => client(port));
  await withPeer('a server that ends', (socket) => socket.on('error', () => {}).end(), (port) => client(port));
  await withPeer('a server that ends after the hello', (socket) => socket.on('error', () => {}).once('data', () => socket.end()), (port) => client(port));
  await withPeer('a server that resets', (socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()), (port) => client(port));
  await withPeer('a write that waits for a handshake', (socket) => socket.on('error', () => {}).once('data', () => socket.end('no TLS here, thank you')), async (port) => {
    const socket = watch('client', connect(port), 'error close');
    socket.write('early', (error) => log('  written', error && words(error)));
    await ended(socket);
  });
  log('--- nobody there');
  await ended(watch('client', connect(1), 'error close'));
  await withPeer('destroyed while it connects', () => {}, async (port) => {
    const socket = watch('client', connect(port), 'connect secureConnect error close');
    socket.destroy();
    await ended(socket);
  });

  // --- after the handshake

  const flip = (port, at) => net.createServer((socket) => {
    const there = net.connect(port, '127.0.0.1');
    let records = 0;
    there.on('data', (data) => {
      if (data[0] === 23 && ++records === at) data[data.length - 1] ^= 1;
      socket.write(data);
    });
    socket.on('data', (data) => there.write(data));
    for (const one of [socket, there]) one.on('error', () => {}).on('close', () => (one === socket ? there : socket).destroy());
  });
  await withServer('a record that was changed on its way', { maxVersion: 'TLSv1.2' }, async (port) => {
    const middle = flip(port, 2);
    const socket = watch('client', connect(await listen(middle)), 'secureConnect error');
    socket.on('data', (data) => {
      log('  got', `${data}`);
      socket.write('two');
    });
    socket.write('one');
    await new Promise((done) => socket.once('error', done));
    socket.destroy();
    await closed(middle);
  }, (socket) => watch('server', socket, 'error').on('data', (data) => socket.write(`answer to ${data}`)));

  await withServer('the end of one side', { allowHalfOpen: true }, async (port) => {
    const socket = watch('client', connect(port, { allowHalfOpen: true }), 'secureConnect end finish close');
    socket.end('question');
    socket.on('data', (data) => log('  got', `${data}`));
    await ended(socket);
  }, (socket) => {
    let asked = '';
    watch('server', socket, 'close').on('data', (data) => asked += data).on('end', () => setImmediate(() => socket.end(`answer to ${asked}`)));
  });
  await withServer('an end without a good-bye', {}, async (port) => {
    const below = net.connect(port, '127.0.0.1');
    const socket = watch('client', tls.connect({ socket: below, ...trust }), 'secureConnect close error');
    socket.on('secureConnect', () => socket.write('x', () => below.end()));
    socket.resume();
    await ended(socket);
  }, (socket) => watch('server', socket, 'end error close').resume());

  await withServer('a storm of handshakes', { maxVersion: 'TLSv1.2' }, async (port) => {
    const socket = watch('client', connect(port), 'error close');
    let count = 0;
    socket.once('secureConnect', function again() {
      if (count++ > 20) return;
      socket.write('');
      socket.renegotiate({}, again);
    });
    socket.resume();
    await ended(socket);
  }, (socket) => watch('server', socket, 'error close').on('error', () => socket.destroy()).resume());
  await withServer('no other handshake', { maxVersion: 'TLSv1.2' }, async (port) => {
    const socket = watch('client', connect(port), 'secureConnect error close');
    socket.once('secureConnect', () => {
      socket.write('');
      socket.renegotiate({}, () => {});
    });
    socket.resume();
    await ended(socket);
  }, (socket) => {
    socket.disableRenegotiation();
    watch('server', socket, 'error close').on('error', () => socket.destroy()).resume();
  });
  await withServer('another handshake in TLS 1.3', {}, async (port) => {
    const socket = connect(port);
    socket.on('secureConnect', () => {
      log('  ', socket.renegotiate({}, (error) => {
        log('  ', error.code, error.reason);
        setImmediate(() => socket.destroy());
      }));
    });
    await ended(socket);
  }, (socket) => socket.on('error', () => {}).resume());

  for (const event of ['secure', 'secureConnect', 'session', 'data', 'keylog'])
    await withServer(`destroyed in ${event}`, {}, async (port) => {
      const socket = watch('client', connect(port), 'error close');
      socket.once(event, () => socket.destroy());
      await ended(socket);
    }, (socket) => socket.on('error', () => {}).end('hello'));
  await withServer('destroyed by the server', {}, async (port) => {
    await ended(watch('client', connect(port), 'secureConnect error end close').resume());
  }, (socket) => socket.destroy());

  // --- much data, both ways, and a reader that is slow

  const much = Buffer.alloc(3e6, 'all work and no play ');
  const sum = (data) => createHash('sha256').update(data).digest('hex').slice(0, 16);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'])
    await withServer(`much, ${maxVersion}`, { maxVersion }, async (port) => {
      const socket = connect(port);
      const parts = [];
      log('  taken', socket.write(much.subarray(0, 1e6)), socket.write('') === false);
      socket.write(much.subarray(1e6));
      socket.end();
      socket.on('data', (data) => {
        parts.push(data);
        socket.pause();
        setImmediate(() => socket.resume());
      });
      await ended(socket);
      log('  came back', sum(Buffer.concat(parts)) === sum(much), socket.bytesWritten >= much.length);
    }, (socket) => socket.pipe(socket));

  // --- over any stream

  const pair = () => {
    const sides = [0, 1].map((index) => new Duplex({
      read() {},
      write(data, encoding, done) {
        setImmediate(() => {
          sides[1 - index].push(data);
          done();
        });
      },
      final(done) {
        sides[1 - index].push(null);
        done();
      },
    }));
    return sides;
  };
  log('--- over a pair of streams');
  {
    const [one, two] = pair();
    const server = new tls.TLSSocket(two, { ...own, isServer: true });
    watch('server', server, 'secure end').pipe(server);
    const socket = watch('client', tls.connect({ socket: one, ...trust }), 'secureConnect end');
    let size = 0;
    socket.on('data', (data) => size += data.length);
    socket.end(much.subarray(0, 300000));
    await Promise.all([ended(socket), ended(server)]);
    log('  came back', size);
  }
  log('--- over TLS');
  await withServer('inside', {}, async (port) => {
    const outer = connect(port);
    const socket = watch('client', tls.connect({ socket: outer, ...trust }), 'secureConnect end close');
    socket.on('data', (data) => log('  got', `${data}`));
    socket.end('through two tunnels');
    await ended(socket);
  }, (socket) => {
    const inner = new tls.TLSSocket(socket, { ...own, isServer: true });
    watch('server', inner, 'secure end close').pipe(inner);
  });
  log('--- STARTTLS');
  {
    const server = net.createServer((socket) => {
      socket.write('220 ready\r\n');
      socket.once('data', (line) => {
        log('  server heard', `${line}`.trim());
        socket.write('220 go\r\n', () => {
          const secured = watch('server', new tls.TLSSocket(socket, { ...own, isServer: true }), 'secure close');
          secured.on('data', (data) => secured.end(`250 ${data}`));
        });
      });
    });
    const below = net.connect(await listen(server), '127.0.0.1');
    await new Promise((next) => below.once('data', next));
    below.write('STARTTLS\r\n');
    await new Promise((next) => below.once('data', next));
    const socket = watch('client', tls.connect({ socket: below, ...trust }), 'secureConnect close');
    socket.on('secureConnect', () => socket.write('MAIL'));
    socket.on('data', (data) => log('  client heard', `${data}`));
    await ended(socket);
    await closed(server);
  }
})();
