'use strict';
// Wrong arguments of net, url, util, querystring, console, process: codes and words.

const net = require('net');
const url = require('url');
const util = require('util');
const querystring = require('querystring');
const { Console } = require('console');

function tried(name, call) {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message.slice(0, 150));
  }
}

for (const options of [false, true, { port: false }, { fd: -1 }, { path: -1 }, {}, { host: 'localhost' }, { path: '\0x', readableAll: true }])
  tried('listen', () => net.createServer().listen(options).constructor.name);
for (const name of ['objectMode', 'readableObjectMode', 'writableObjectMode']) tried('Socket', () => new net.Socket({ [name]: true }));
for (const ms of [-0.001, -1, NaN, Infinity, '5', null]) tried('setTimeout', () => new net.Socket().setTimeout(ms));
for (const address of ['::1%eth0', 'fe80::1%eth0.0', 'fe80::1%eth0@1', '1.2.3.4', '::ffff:1.2.3.4', '1.2.3', null]) tried('isIP', () => net.isIP(address));
for (const answer of [[undefined, 4], ['127.0.0.1', 100], ['x', 4]])
  net.connect({ host: 'localhost', port: 1, lookup: (host, options, callback) => options.all ? callback(null, [{ address: answer[0], family: answer[1] }]) : callback(null, ...answer) })
    .on('error', (error) => console.log('lookup', error.code, error.message, error.host, error.port));
const server = net.createServer().listen(0, '127.0.0.1', () => {
  console.log('key', server._connectionKey);
  server.close();
});

for (const value of [undefined, null, 5, {}, [], Symbol('x')]) {
  tried('url.parse', () => url.parse(value));
  tried('getBuiltinModule', () => process.getBuiltinModule(value));
  tried('deprecate', () => typeof util.deprecate(() => {}, 'x', value));
  tried('inherits', () => util.inherits(function () {}, value));
  if (value !== null) tried('transfer', () => structuredClone(1, { transfer: value }));
}
console.log(Object.getPrototypeOf(url.parse('/x', true).query), url.resolve('http://localhost', 'file:///Users/foo'));
for (const path of ['C:\\foo', '\\\\server\\share\\a b', 'C:\\a%b#c?d', 'C:\\foo\\']) tried('Windows', () => url.pathToFileURL(path, { windows: true }).href);
console.log(url.urlToHttpOptions({ port: 5 }), url.urlToHttpOptions(new URL('http://u:p@[::1]:21/a?b#c')));

const params = new URLSearchParams('a=1&b=2&a=3');
const iterator = params.entries();
console.log(Object.keys(URLSearchParams.prototype), params[Symbol.iterator] === params.entries, iterator, iterator.next(), iterator, params.keys(), String(iterator));
console.log(util.inspect(params, { depth: -1 }), util.inspect(params.values(), { breakLength: 5 }), Object.getPrototypeOf(Object.getPrototypeOf(iterator)) === Object.getPrototypeOf(Object.getPrototypeOf([].values())));
tried('next', () => iterator.next.call({}));
tried('entries', () => params.entries.call({}));
tried('symbol', () => params.get(Symbol('x')));
tried('symbol keys', () => new URLSearchParams({ [Symbol('x')]: 1 }));
for (const [key] of new URLSearchParams('a&b&c')) console.log(key);
tried('revokeObjectURL', () => URL.revokeObjectURL());

console.log(querystring.escape('\ud801test'), Object.keys(querystring.parse('a&b&c', null, null, { maxKeys: 'x' })).length, Object.keys(querystring.parse('a&b&c', null, null, { maxKeys: 2 })).length);
tried('escape', () => querystring.escape('\ud801'));

const booleanish = Object.setPrototypeOf(new Boolean(true), String.prototype);
console.log(util.isDeepStrictEqual(new Number(2), Object(2)), util.isDeepStrictEqual(Object(Symbol.iterator), Object(Symbol.iterator)), util.isDeepStrictEqual(booleanish, booleanish));
util.callbackify(() => ({ then(resolve) { resolve(5); } }))((error, value) => console.log('callbackify', error, value));

const lines = [];
const mine = new Console({ stdout: new (require('stream').Writable)({ write: (chunk, encoding, done) => { lines.push(`${chunk}`); done(); } }), inspectOptions: { compact: false }, colorMode: true });
mine.log({ a: 1 });
console.log(lines, mine.log.name, mine.warn.name, mine.table.name);

console.log(Object.keys(globalThis).filter((name) => name !== 'fetch' && name !== 'crypto').sort());
tried('assert', () => process.assert(false));
tried('config', () => Object.isFrozen(process.config));
console.log(Object.getOwnPropertyDescriptor(process, 'exitCode').configurable, { ...structuredClone({ env: process.env }).env }.PATH === process.env.PATH);
for (const name of ['setuid', 'setgid', 'seteuid', 'setegid', 'setgroups'])
  for (const value of [undefined, null, {}, [null], [1.5], 1.5, -1, 2 ** 33, 'nobody-of-that-name', ['nobody-of-that-name'], true, NaN])
    if (name !== 'setgroups' || Array.isArray(value) || typeof value !== 'number') tried(name, () => process[name](value));
for (const args of [[], [null, 1], ['root'], ['root', 'nobody-of-that-name'], [{}, 0], [0, 1.5], [-1, 0]]) tried('initgroups', () => process.initgroups(...args));
process.on('warning', () => {});

const controller = new AbortController();
const proxy = new Proxy(controller.signal, {});
proxy.addEventListener('abort', () => console.log('aborted', proxy.aborted));
controller.abort();
tried('a target that is none', () => controller.signal.addEventListener.call({}, 'x', () => {}));

const mark = Symbol('mark');
console.log(util.isDeepStrictEqual(Object.assign(new Uint8Array(2), { [mark]: 1 }), Object.assign(new Uint8Array(2), { [mark]: 2 })),
  util.isDeepStrictEqual(Object.assign(new Uint8Array(2), { x: 1 }), new Uint8Array(2)), util.isDeepStrictEqual(new Uint8Array(1e6), new Uint8Array(1e6)));
const stream = require('stream');
for (const name of ['duplex', 'passthrough', 'readable', 'transform', 'writable']) console.log(Object.values(stream).includes(require(`_stream_${name}`)));
for (const name of ['map', 'filter', 'drop', 'reduce']) console.log(stream.Readable.prototype[name].length, stream.Readable.prototype[name].name);
