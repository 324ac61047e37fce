'use strict';
// net, dgram, dns, child_process.
const net = require('net');
const dgram = require('dgram');
const dns = require('dns');
const cp = require('child_process');
const { add, all, cb, methods } = require('./table.js');

methods('net', 'Socket', () => new net.Socket(), [
  ['setTimeout', [1, cb]], ['setNoDelay', [true]], ['setKeepAlive', [true, 1]], ['setEncoding', ['utf8']], ['write', ['x', 'utf8', cb]], ['end', ['x', 'utf8', cb]], ['connect', [1, '127.0.0.1', cb]], ['address', []], ['resetAndDestroy', []], ['ref', []], ['unref', []],
]);
const quiet = (socket) => { socket.on('error', cb); socket.destroy(); return 'made'; };
add('net', 'connect', () => (...args) => quiet(net.connect(...args)), [1, '127.0.0.1', cb]);
add('net', 'createConnection', () => (...args) => quiet(net.createConnection(...args)), [1, '127.0.0.1', cb]);
for (const field of ['port', 'host', 'path', 'localPort', 'localAddress', 'family', 'hints', 'lookup', 'timeout', 'noDelay', 'keepAlive', 'keepAliveInitialDelay', 'autoSelectFamily', 'autoSelectFamilyAttemptTimeout', 'signal', 'allowHalfOpen'])
  add('net', `connect.${field}`, () => (value) => quiet(net.connect({ port: 1, host: '127.0.0.1', [field]: value })), [undefined], [0]);
for (const field of ['fd', 'handle', 'readable', 'writable', 'signal', 'allowHalfOpen', 'objectMode', 'highWaterMark', 'keepAliveInitialDelay', 'onread'])
  if (field !== 'onread') add('net', `Socket.${field}`, () => (value) => quiet(new net.Socket({ [field]: value })), [undefined], field === 'handle' ? [] : [0]);
add('net', 'Socket', () => (options) => quiet(new net.Socket(options)), [{}]);
add('net', 'createServer', () => (...args) => typeof net.createServer(...args), [{}, cb]);
for (const field of ['allowHalfOpen', 'pauseOnConnect', 'noDelay', 'keepAlive', 'keepAliveInitialDelay', 'highWaterMark']) add('net', `createServer.${field}`, () => (value) => typeof net.createServer({ [field]: value }), [undefined], [0]);
const listening = (...args) => { const server = net.createServer(); server.on('error', cb); try { server.listen(...args); } finally { server.close(cb); } };
add('net', 'listen', () => listening, [0, '127.0.0.1', 5, cb]);
for (const field of ['port', 'host', 'backlog', 'path', 'exclusive', 'readableAll', 'writableAll', 'ipv6Only', 'signal', 'fd']) add('net', `listen.${field}`, () => (value) => listening({ port: 0, host: '127.0.0.1', [field]: value }), [undefined], [0]);
all('net', net, [['isIP', ['1.2.3.4']], ['isIPv4', ['1.2.3.4']], ['isIPv6', ['::1']]]);
add('net', 'setDefaultAutoSelectFamily', () => (value) => { try { net.setDefaultAutoSelectFamily(value); } finally { net.setDefaultAutoSelectFamily(true); } }, [true]);
add('net', 'setDefaultAutoSelectFamilyAttemptTimeout', () => (value) => { try { net.setDefaultAutoSelectFamilyAttemptTimeout(value); } finally { net.setDefaultAutoSelectFamilyAttemptTimeout(250); } }, [250]);
methods('net', 'Server', () => net.createServer(), [['close', [cb]], ['getConnections', [cb]], ['address', []], ['ref', []]]);

add('dgram', 'createSocket', () => (...args) => { dgram.createSocket(...args).close(); }, ['udp4', cb]);
for (const field of ['type', 'reuseAddr', 'ipv6Only', 'recvBufferSize', 'sendBufferSize', 'lookup', 'signal']) add('dgram', `createSocket.${field}`, () => (value) => { dgram.createSocket({ type: 'udp4', [field]: value }).close(); }, [undefined], [0]);
const bound = () => { const socket = dgram.createSocket('udp4'); socket.on('error', cb); return socket; };
methods('dgram', 'dgram', bound, [
  ['bind', [0, '127.0.0.1', cb]], ['connect', [1, '127.0.0.1', cb]], ['send', ['x', 0, 1, 9, '127.0.0.1', cb]], ['setBroadcast', [true]], ['setTTL', [1]], ['setMulticastTTL', [1]], ['setMulticastLoopback', [true]], ['setMulticastInterface', ['127.0.0.1']],
  ['addMembership', ['224.0.0.114', '127.0.0.1']], ['dropMembership', ['224.0.0.114', '127.0.0.1']], ['addSourceSpecificMembership', ['127.0.0.1', '224.0.0.114', '127.0.0.1']], ['dropSourceSpecificMembership', ['127.0.0.1', '224.0.0.114', '127.0.0.1']],
  ['setRecvBufferSize', [1000]], ['setSendBufferSize', [1000]], ['disconnect', []], ['remoteAddress', []], ['address', []], ['getRecvBufferSize', []], ['sendto', ['x', 0, 1, 9, '127.0.0.1', cb]],
]);
for (const field of ['port', 'address', 'exclusive', 'fd']) add('dgram', `bind.${field}`, () => (value) => { const socket = bound(); try { socket.bind({ [field]: value }); } finally { socket.close(); } }, [undefined], [0]);

all('dns', dns, [['lookup', ['127.0.0.1', {}, cb]], ['lookupService', ['127.0.0.1', 1, cb]], ['setDefaultResultOrder', ['verbatim']]]);
for (const field of ['family', 'hints', 'all', 'verbatim', 'order']) {
  add('dns', `lookup.${field}`, () => (value) => dns.lookup('127.0.0.1', { [field]: value }, cb), [undefined], [0]);
  add('dns.promises', `lookup.${field}`, () => (value) => dns.promises.lookup('127.0.0.1', { [field]: value }), [undefined], [0]);
}
all('dns.promises', dns.promises, [['lookup', ['127.0.0.1', {}]], ['lookupService', ['127.0.0.1', 1]], ['setDefaultResultOrder', ['verbatim']]]);

const child = (made) => { made.on('error', cb); return 'made'; };
add('child_process', 'spawn', () => (...args) => child(cp.spawn(...args)), ['true', [], {}]);
add('child_process', 'exec', () => (...args) => child(cp.exec(...args)), ['true', {}, cb]);
add('child_process', 'execFile', () => (...args) => child(cp.execFile(...args)), ['true', [], {}, cb]);
add('child_process', 'spawnSync', () => (...args) => { cp.spawnSync(...args); }, ['true', [], {}], [0, 1, 2]);
add('child_process', 'execSync', () => (...args) => { cp.execSync(...args); }, ['true', { stdio: 'ignore' }]);
add('child_process', 'execFileSync', () => (...args) => { cp.execFileSync(...args); }, ['true', [], { stdio: 'ignore' }]);
for (const field of ['cwd', 'env', 'argv0', 'stdio', 'detached', 'uid', 'gid', 'shell', 'timeout', 'killSignal', 'signal', 'windowsHide', 'windowsVerbatimArguments', 'maxBuffer', 'encoding', 'input', 'serialization']) {
  if (field === 'uid' || field === 'gid') continue;
  add('child_process', `spawn.${field}`, () => (value) => child(cp.spawn('true', [], { [field]: value })), [undefined], [0]);
  add('child_process', `execFile.${field}`, () => (value) => child(cp.execFile('true', [], { [field]: value }, cb)), [undefined], [0]);
  add('child_process', `exec.${field}`, () => (value) => child(cp.exec('true', { [field]: value }, cb)), [undefined], [0]);
  add('child_process', `spawnSync.${field}`, () => (value) => { cp.spawnSync('true', [], { stdio: 'ignore', [field]: value }); }, [undefined], [0]);
}
for (const place of [0, 1, 2]) add('child_process', `stdio[${place}]`, () => (value) => child(cp.spawn('true', [], { stdio: ['ignore', 'ignore', 'ignore'].with(place, value) })), ['pipe'], [0]);
add('child_process', 'kill', () => (signal) => { const made = cp.spawn('sleep', ['5'], { stdio: 'ignore' }); try { return made.kill(signal); } finally { made.kill('SIGKILL'); } }, ['SIGTERM'], [0]);
