'use strict';
// Streams, sockets, timers, events and buffers after a program has spoilt what it can reach of
// the language. Node, which calls some of it, answers on a language that is whole.
const { Readable, Transform, Writable, pipeline, finished } = require('stream');
const { pipeline: piped } = require('stream/promises');
const dgram = require('dgram');
const dns = require('dns');
const EventEmitter = require('events');
const net = require('net');
const { StringDecoder } = require('string_decoder');
const timers = require('timers/promises');
const { performance, PerformanceObserver } = require('perf_hooks');
const channels = require('diagnostics_channel');
const lines = [];
let count = 0;
void [process.stdout, process.stderr, AbortSignal.abort()]; // loaded
const units = new Uint8Array([65, 0]);
const log = (...parts) => { lines[count++] = parts; };
const spoilt = () => { throw new Error('a spoilt intrinsic was called'); };

const { defineProperty, getOwnPropertyDescriptor } = Object;
const saved = [];
function spoil(owner, names) {
  if (process.versions.rondo === undefined) return;
  for (let i = 0; i < names.length; i++) {
    saved[saved.length] = { owner, name: names[i], was: getOwnPropertyDescriptor(owner, names[i]) };
    defineProperty(owner, names[i], { __proto__: null, value: spoilt, writable: true, configurable: true });
  }
}
spoil(Array.prototype, ['push', 'pop', 'shift', 'unshift', 'slice', 'splice', 'map', 'filter', 'forEach', 'some', 'every', 'find',
  'includes', 'indexOf', 'reduce', 'join', 'concat', 'flat', 'at', Symbol.iterator]);
spoil(String.prototype, ['slice', 'split', 'replace', 'toLowerCase', 'trim', 'charCodeAt', 'endsWith', 'startsWith', 'includes', 'indexOf']);
spoil(Object, ['keys', 'assign', 'entries', 'defineProperty', 'getOwnPropertyDescriptors', 'setPrototypeOf', 'create']);
spoil(Map.prototype, ['get', 'set', 'has', 'delete', 'forEach', Symbol.iterator]);
spoil(Set.prototype, ['add', 'has', 'delete', 'forEach', 'clear', Symbol.iterator]);
spoil(Function.prototype, ['call', 'apply', 'bind']);
spoil(RegExp.prototype, ['exec', 'test', Symbol.replace]);
spoil(Object.getPrototypeOf(Uint8Array.prototype), ['set', 'fill', 'subarray', 'slice', 'indexOf', Symbol.iterator]);
spoil(Promise.prototype, ['finally', 'catch']);
for (const name in process.versions.rondo === undefined ? {} : { get: 1, set: 1, value: 1 })
  defineProperty(Object.prototype, name, { __proto__: null, value: spoilt, enumerable: false, configurable: true, writable: true });

const emitter = new EventEmitter();
emitter.once('a', (...args) => log('once', args.length));
emitter.on('a', function (x) { log('on', x, this === emitter); });
emitter.prependListener('a', () => log('first'));
emitter.emit('a', 1, 2, 3, 4);
log(emitter.emit('a', 2), emitter.eventNames().length, emitter.removeAllListeners('a').listenerCount('a'));
const bytes = Buffer.concat([Buffer.from('h\u00e9llo'), Buffer.from('6869', 'hex'), Buffer.alloc(3, 'xy')]);
log(bytes.toString(), bytes.toString('base64'), bytes.indexOf('hi'), bytes.subarray(1, 3).length, bytes.equals(Buffer.from(bytes)), bytes.readUInt16BE(1));
log(new StringDecoder('utf8').write(Buffer.from([0x61, 0xc3])), new TextDecoder('utf-16le').decode(units), atob(btoa('xyz')));
const target = new EventTarget();
target.addEventListener('e', (event) => log('event', event.type), { once: true });
target.dispatchEvent(new Event('e'));
const channel = channels.channel('c');
channel.subscribe((message) => log('message', message));
channel.publish('hello');

(async () => {
  let text = '';
  for await (const chunk of Readable.from((function* () { yield 'a'; yield 'b'; })())) text += chunk;
  log('iterated', text);
  const sink = [];
  await piped(
    new Readable({ read() { this.push('one'); this.push(null); } }),
    new Transform({ transform(chunk, encoding, done) { done(null, chunk.toString() + '!'); } }),
    new Writable({ write(chunk, encoding, done) { sink[sink.length] = chunk.toString(); done(); } }));
  log('piped', sink[0]);
  await new Promise((resolve) => pipeline(new Readable({ read() { this.destroy(new Error('broken')); } }),
    new Writable({ write(chunk, encoding, done) { done(); } }), (error) => resolve(log('pipeline', error.message))));
  const writable = new Writable({ writev(chunks, done) { log('writev', chunks.length); done(); } });
  await new Promise((resolve) => {
    finished(writable, () => resolve(log('finished')));
    writable.cork();
    writable.write('a');
    writable.write('b');
    writable.end('c');
  });
  log('timer', await timers.setTimeout(1, 'value'), await timers.setImmediate('soon'));
  setImmediate(() => emitter.emit('x', 7));
  log('once', (await EventEmitter.once(emitter, 'x'))[0]);
  log('lookup', (await dns.promises.lookup('127.0.0.1')).address);
  await new Promise((resolve) => {
    const server = net.createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1', () => {
      const client = net.connect(server.address().port, '127.0.0.1');
      client.on('data', (data) => log('echo', data.toString(), client.bytesWritten)).on('close', () => server.close(resolve));
      client.end('over the wire');
    });
  });
  await new Promise((resolve) => {
    const socket = dgram.createSocket('udp4', (message) => {
      log('datagram', message.toString());
      socket.close(resolve);
    });
    socket.bind(0, '127.0.0.1', () => socket.send('packet', socket.address().port, '127.0.0.1'));
  });
  const controller = new AbortController();
  const any = AbortSignal.any([controller.signal]);
  any.addEventListener('abort', () => log('aborted', any.reason));
  controller.abort('why');
  log('blob', await new Blob({ * [Symbol.iterator]() { yield 'a'; } }).text(), performance.mark('m').name, performance.getEntriesByName('m').length);
})().then(restore, (error) => {
  restore();
  console.log(error);
});

function restore() {
  for (const name in { get: 1, set: 1, value: 1 }) delete Object.prototype[name];
  for (let i = saved.length - 1; i >= 0; i--) defineProperty(saved[i].owner, saved[i].name, saved[i].was);
  for (const parts of lines) console.log(...parts);
}
