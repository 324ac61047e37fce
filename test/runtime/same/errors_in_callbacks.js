'use strict';
// Errors thrown in callbacks of files, streams, children, datagrams and look-ups: each is
// told to uncaughtException, and the program goes on to its end.
const fs = require('fs');
const dns = require('dns');
const dgram = require('dgram');
const { spawn, exec } = require('child_process');
const thrown = [];
process.on('uncaughtException', (error) => thrown.push(error.message));
const fail = (text) => () => { throw new Error(text); };
fs.stat('/', fail('stat'));
fs.stat('/nonexistent', fail('stat error'));
fs.readFile(__filename, fail('readFile'));
fs.readFile('/nonexistent', fail('readFile error'));
fs.readdir('/', fail('readdir'));
fs.mkdir('/', fail('mkdir'));
fs.realpath('/tmp', fail('realpath'));
fs.opendir('/', (error, dir) => { dir.close(fail('closedir')); });
fs.createReadStream(__filename).on('data', fail('data')).on('error', () => {});
fs.createReadStream(__filename).resume().on('end', fail('end')).on('close', fail('close'));
fs.createReadStream('/nonexistent').on('error', fail('error listener'));
fs.createWriteStream('/nonexistent/x').on('error', () => {}).on('close', fail('write close'));
dns.lookup('127.0.0.1', fail('lookup'));
const socket = dgram.createSocket('udp4');
socket.bind(0, '127.0.0.1', () => {
  socket.send('x', socket.address().port, '127.0.0.1', fail('send'));
  throw new Error('bind');
});
socket.on('message', () => {
  socket.close(fail('dgram close'));
  throw new Error('message');
});
const child = spawn('sh', ['-c', 'echo x']);
child.on('spawn', fail('spawn'));
child.stdout.on('data', fail('stdout'));
child.on('exit', fail('exit'));
child.on('close', fail('child close'));
exec('true', fail('exec'));
spawn('/nonexistent').on('error', fail('spawn error'));
const watcher = fs.watch('/tmp', { persistent: false }, () => {});
watcher.on('close', fail('watcher close'));
watcher.close();
process.on('exit', () => console.log(thrown.sort().join('\n')));
