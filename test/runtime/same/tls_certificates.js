'use strict';
// Whom a client trusts, and a server: certificates that are good, expired, another's, signed by
// nobody known or by themselves; client certificates; SNI, ALPN, sessions that go on.
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const tls = require('tls');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rondo-tls-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
const read = (name) => fs.readFileSync(path.join(folder, name));

function make(name, { issuer, subject = `/CN=${name}`, names, from = '20200101000000Z', to = '20400101000000Z' }) {
  openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`);
  openssl('req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`);
  fs.writeFileSync(path.join(folder, `${name}.cnf`), `[ca]\ndefault_ca=one\n[one]\ndatabase=${name}.db\nserial=${name}.serial\nnew_certs_dir=.\n` +
    `default_md=sha256\npolicy=any\nx509_extensions=more\nunique_subject=no\n[any]\ncommonName=optional\norganizationName=optional\n[more]\n` +
    `${names ? `subjectAltName=${names}\n` : ''}basicConstraints=CA:${issuer ? 'FALSE' : 'TRUE'}\n`);
  fs.writeFileSync(path.join(folder, `${name}.db`), '');
  fs.writeFileSync(path.join(folder, `${name}.serial`), '1000');
  const by = issuer ? ['-cert', `${issuer}.crt`, '-keyfile', `${issuer}.key`] : ['-selfsign', '-keyfile', `${name}.key`];
  openssl('ca', '-batch', '-notext', '-config', `${name}.cnf`, '-in', `${name}.csr`, '-out', `${name}.crt`, '-startdate', from, '-enddate', to, ...by);
  return { key: read(`${name}.key`), cert: read(`${name}.crt`) };
}

const ca = make('authority', {}).cert;
const good = make('good', { issuer: 'authority', names: 'DNS:localhost,DNS:*.example.org,IP:127.0.0.1' });
const expired = make('expired', { issuer: 'authority', names: 'DNS:localhost', to: '20210101000000Z' });
const early = make('early', { issuer: 'authority', names: 'DNS:localhost', from: '20390101000000Z' });
const other = make('other', { issuer: 'authority', names: 'DNS:other.example.com,IP:10.0.0.1' });
const common = make('localhost', { issuer: 'authority' });
const alone = make('alone', { names: 'DNS:localhost' });
const client = make('client', { issuer: 'authority', subject: '/CN=client/O=Us' });
const stranger = make('stranger', {});

// OpenSSL's own words name files and lines.
const shown = ({ code, host, message, reason }) => [code, reason ?? message, host].filter(Boolean).join(' | ');

// One connection; what both sides see of it, in order of each side.
function visit(title, serverOptions, clientOptions, { send = 'hello' } = {}) {
  return new Promise((done) => {
    const seen = { server: [], client: [] };
    const server = tls.createServer(serverOptions, (socket) => {
      seen.server.push(`secure ${socket.authorized} ${socket.authorizationError} ${socket.servername} ${socket.alpnProtocol} ${socket.isSessionReused()}`);
      const { subject } = socket.getPeerCertificate();
      if (subject) seen.server.push(`peer ${subject.CN} ${subject.O}`);
      socket.on('data', (data) => {
        seen.server.push(`data ${data}`);
        socket.end(`${data}, too`);
      });
      for (const event of ['end', 'close', 'error']) socket.on(event, (value) => seen.server.push(`${event} ${value?.code ?? value ?? ''}`));
    });
    server.on('tlsClientError', (error) => seen.server.push(`tlsClientError ${error.code}`));
    server.listen(0, '127.0.0.1', () => {
      const socket = tls.connect({ port: server.address().port, host: '127.0.0.1', servername: 'localhost', ca, ...clientOptions });
      let session;
      socket.on('session', (value) => session = value);
      socket.on('secureConnect', () => {
        const { name, version } = socket.getCipher();
        seen.client.push(`secure ${socket.authorized} ${socket.authorizationError} ${socket.alpnProtocol} ${socket.isSessionReused()} ${socket.getProtocol()} ${name} ${version}`);
        const { subject, subjectaltname, issuerCertificate } = socket.getPeerCertificate(true);
        seen.client.push(`peer ${subject?.CN} ${subjectaltname} ${issuerCertificate?.subject.CN} ${issuerCertificate?.issuerCertificate === issuerCertificate}`);
        socket.write(send);
      });
      socket.on('data', (data) => seen.client.push(`data ${data}`));
      socket.on('end', () => seen.client.push('end'));
      socket.on('error', (error) => seen.client.push(`error ${shown(error)}`));
      socket.on('close', (failed) => {
        seen.client.push(`close ${failed}`);
        server.close(() => {
          console.log(`--- ${title}`);
          for (const side in seen) for (const line of seen[side]) console.log(`  ${side}: ${line}`);
          done(session);
        });
      });
    });
  });
}

const only = (version) => ({ minVersion: version, maxVersion: version });

(async () => {
  await visit('good', good, {});
  await visit('good, TLS 1.2', { ...good, ...only('TLSv1.2') }, {});
  await visit('by its address', good, { servername: '', host: '127.0.0.1' });
  await visit('a wildcard', good, { servername: 'www.example.org' });
  await visit('a wildcard, too deep', good, { servername: 'a.b.example.org' });
  await visit('expired', expired, {});
  await visit('not yet', early, {});
  await visit('of another', other, {});
  await visit('of another address', other, { servername: '', host: '127.0.0.1' });
  await visit('a common name alone', common, {});
  await visit('signed by itself', alone, {});
  await visit('signed by itself, and trusted', alone, { ca: alone.cert });
  await visit('an authority that nobody knows', good, { ca: stranger.cert });
  await visit('all are trusted', expired, { rejectUnauthorized: false });
  await visit('the program decides', other, { checkServerIdentity: (host, { subject }) => host === 'localhost' && subject.CN === 'other' ? undefined : new Error('no') });
  await visit('the program refuses', good, { checkServerIdentity: () => Object.assign(new Error('not you'), { code: 'MINE' }) });

  const asks = { ...good, ca, requestCert: true };
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    await visit(`a client's certificate, ${version}`, { ...asks, ...only(version) }, client);
    await visit(`none, ${version}`, { ...asks, ...only(version), rejectUnauthorized: false }, {});
    await visit(`an unknown one, ${version}`, { ...asks, ...only(version), rejectUnauthorized: false }, stranger);
  }
  await visit('none, and it is needed', { ...asks, ...only('TLSv1.2') }, {});
  await visit('an unknown one is refused', { ...asks, ...only('TLSv1.2') }, stranger);

  await visit('ALPN', { ...good, ALPNProtocols: ['b', 'a'] }, { ALPNProtocols: ['a', 'b'] });
  await visit('ALPN, nothing common', { ...good, ALPNProtocols: ['b'] }, { ALPNProtocols: ['a'] });
  await visit('ALPN, one side', good, { ALPNProtocols: ['a'] });
  await visit('ALPN, chosen', { ...good, ALPNCallback: ({ servername, protocols }) => servername === 'localhost' ? protocols[1] : undefined }, { ALPNProtocols: ['a', 'b'] });
  await visit('ALPN, refused', { ...good, ALPNCallback: () => undefined }, { ALPNProtocols: ['a', 'b'] });
  await visit('SNI', { ...other, SNICallback: (name, callback) => setImmediate(callback, null, tls.createSecureContext(name === 'localhost' ? good : other)) }, {});
  await visit('SNI, an error', { ...good, SNICallback: (name, callback) => callback(new Error(`no ${name}`)) }, {});
  await visit('no common version', { ...good, minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' });
  await visit('no common cipher', { ...good, ...only('TLSv1.2'), ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }, { ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' });

  const ticketKeys = Buffer.alloc(48, 7);
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    const session = await visit(`a first time, ${version}`, { ...good, ...only(version), ticketKeys }, {});
    await visit(`a second time, ${version}`, { ...good, ...only(version), ticketKeys }, { session });
    await visit(`a second time at another server, ${version}`, { ...good, ...only(version) }, { session });
  }
  const key = Buffer.from('0123456789abcdef');
  const psk = { ciphers: 'PSK', ...only('TLSv1.2') };
  await visit('a secret', { ...psk, pskIdentityHint: 'who', pskCallback: (socket, identity) => identity === 'me' ? key : null },
    { ...psk, checkServerIdentity() {}, pskCallback: (hint) => ({ psk: key, identity: hint === 'who' ? 'me' : 'you' }) });
  await visit('a wrong secret', { ...psk, pskCallback: () => key }, { ...psk, checkServerIdentity() {}, pskCallback: () => ({ psk: Buffer.from('wrong'), identity: 'me' }) });
})();
