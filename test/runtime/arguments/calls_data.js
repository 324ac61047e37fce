'use strict';
// buffer, string_decoder, url, querystring, util, path, assert, structuredClone, TextDecoder.
const { Buffer, Blob, File, transcode, isUtf8, isAscii, SlowBuffer } = require('buffer');
const url = require('url');
const util = require('util');
const path = require('path');
const querystring = require('querystring');
const { StringDecoder } = require('string_decoder');
const assert = require('assert');
const { add, all, bytes, cb, f, methods } = require('./table.js');

all('buffer', Buffer, [
  ['alloc', [4, 0, 'utf8']], ['allocUnsafe', [4]], ['allocUnsafeSlow', [4]], ['byteLength', ['x', 'utf8']], ['compare', [bytes, bytes]], ['concat', [[bytes], 4]], ['from', ['x', 'utf8']], ['isBuffer', [bytes]], ['isEncoding', ['utf8']], ['copyBytesFrom', [new Uint8Array(4), 0, 2]],
]);
add('buffer', 'from ArrayBuffer', () => (...args) => Buffer.from(new ArrayBuffer(8), ...args), [0, 4]);
add('buffer', 'Buffer', () => (...args) => Buffer(...args), [4, 'utf8', 1]);
add('buffer', 'SlowBuffer', () => SlowBuffer, [4]);
add('buffer', 'transcode', () => transcode, [bytes, 'utf8', 'latin1']);
add('buffer', 'isUtf8', () => isUtf8, [bytes]);
add('buffer', 'isAscii', () => isAscii, [bytes]);
add('buffer', 'atob', () => atob, ['YQ==']);
add('buffer', 'btoa', () => btoa, ['a']);
add('buffer', 'Blob', () => (...args) => new Blob(...args), [[], {}]);
add('buffer', 'File', () => (...args) => new File(...args), [[], 'x', {}]);
for (const field of ['type', 'endings']) add('buffer', `Blob.${field}`, () => (value) => new Blob([], { [field]: value }), [undefined], [0]);
const made = () => Buffer.from('abcdefghijklmnop');
const reads = [];
for (const kind of ['UInt8', 'Int8', 'UInt16LE', 'UInt16BE', 'Int16LE', 'UInt32LE', 'Int32BE', 'BigUInt64LE', 'BigInt64BE', 'FloatLE', 'DoubleBE']) {
  reads.push([`read${kind}`, [0]], [`write${kind}`, [kind.startsWith('Big') ? 1n : 1, 0]]);
}
for (const kind of ['UIntLE', 'UIntBE', 'IntLE', 'IntBE']) reads.push([`read${kind}`, [0, 3]], [`write${kind}`, [1, 0, 3]]);
methods('buffer', 'Buffer', made, [
  ...reads, ['compare', [bytes, 0, 4, 0, 4]], ['copy', [made(), 0, 0, 4]], ['equals', [bytes]], ['fill', ['x', 0, 4, 'utf8']], ['includes', ['a', 0, 'utf8']], ['indexOf', ['a', 0, 'utf8']], ['lastIndexOf', ['a', 0, 'utf8']], ['slice', [0, 4]], ['subarray', [0, 4]],
  ['swap16', []], ['swap32', []], ['swap64', []], ['toString', ['utf8', 0, 4]], ['write', ['x', 0, 1, 'utf8']], ['toJSON', []], ['utf8Write', ['x', 0, 1]], ['latin1Slice', [0, 1]], ['hexSlice', [0, 1]],
]);
add('buffer', 'swap16 odd', () => () => Buffer.alloc(3).swap16(), [1], [0]);
add('string_decoder', 'StringDecoder', () => (encoding) => new StringDecoder(encoding), ['utf8']);
methods('string_decoder', 'decoder', () => new StringDecoder('utf8'), [['write', [bytes]], ['end', [bytes]]]);
add('encoding', 'TextDecoder', () => (...args) => new TextDecoder(...args), ['utf-8', {}]);
methods('encoding', 'TextDecoder', () => new TextDecoder(), [['decode', [bytes, {}]]]);
methods('encoding', 'TextEncoder', () => new TextEncoder(), [['encode', ['x']], ['encodeInto', ['x', new Uint8Array(4)]]]);

all('url', url, [
  ['parse', ['http://a/b', true, true]], ['resolve', ['http://a/b', '/c']], ['format', [{}, {}]], ['fileURLToPath', ['file:///a']], ['pathToFileURL', ['/a']], ['domainToASCII', ['a.b']], ['domainToUnicode', ['a.b']], ['urlToHttpOptions', [new URL('http://a/b')]], ['resolveObject', ['http://a/b', '/c']],
]);
add('url', 'URL', () => (...args) => new URL(...args), ['http://a/b', 'http://c']);
all('url', URL, [['canParse', ['http://a', 'http://b']], ['createObjectURL', [new Blob()]], ['revokeObjectURL', ['blob:x']]]);
add('url', 'URLSearchParams', () => (init) => new URLSearchParams(init), ['a=b']);
methods('url', 'URLSearchParams', () => new URLSearchParams('a=b'), [['append', ['a', 'b']], ['delete', ['a', 'b']], ['get', ['a']], ['getAll', ['a']], ['has', ['a', 'b']], ['set', ['a', 'b']], ['forEach', [cb, {}]], ['sort', []]]);
for (const field of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) add('url', `URL.${field}`, () => (value) => { new URL('http://a/b')[field] = value; }, ['x'], [0]);
all('querystring', querystring, [['parse', ['a=b', '&', '=', {}]], ['stringify', [{ a: 1 }, '&', '=', {}]], ['escape', ['a']], ['unescape', ['a']]]);

all('util', util, [
  ['callbackify', [async () => {}]], ['debuglog', ['x', cb]], ['deprecate', [cb, 'x', 'D']], ['format', ['%s', 1]], ['formatWithOptions', [{}, '%s']], ['getSystemErrorName', [-2]], ['getSystemErrorMap', []], ['inherits', [function A() {}, class B {}]], ['inspect', [{}, {}]], ['isDeepStrictEqual', [1, 1]],
  ['parseArgs', [{}]], ['promisify', [cb]], ['stripVTControlCharacters', ['x']], ['styleText', ['red', 'x']], ['toUSVString', ['x']], ['aborted', [new AbortController().signal, {}]], ['isArray', [1]], ['isError', [1]], ['getSystemErrorMessage', [-2]], ['parseEnv', ['A=b']], ['transferableAbortController', []], ['getCallSite', [1]],
].filter(([name]) => typeof util[name] === 'function'));
for (const field of ['depth', 'colors', 'compact', 'breakLength', 'maxArrayLength', 'maxStringLength', 'sorted', 'getters', 'numericSeparator', 'showHidden', 'customInspect', 'showProxy'])
  add('util', `inspect.${field}`, () => (value) => util.inspect({ a: [1, 'x'] }, { [field]: value }), [undefined], [0]);
for (const field of ['args', 'options', 'strict', 'allowPositionals', 'tokens']) add('util', `parseArgs.${field}`, () => (value) => util.parseArgs({ args: [], [field]: value }), [undefined], [0]);
for (const field of ['type', 'short', 'multiple', 'default']) add('util', `parseArgs.options.${field}`, () => (value) => util.parseArgs({ args: [], options: { a: { type: 'string', [field]: value } } }), [undefined], [0]);

for (const name of ['posix', 'win32'])
  all(`path.${name}`, path[name], [['basename', ['/a/b.c', '.c']], ['dirname', ['/a']], ['extname', ['a.b']], ['format', [{}]], ['isAbsolute', ['/a']], ['join', ['a', 'b']], ['normalize', ['a']], ['parse', ['a']], ['relative', ['a', 'b']], ['resolve', ['a', 'b']], ['toNamespacedPath', ['a']]]);
all('assert', assert, [
  ['ok', [true, 'm']], ['equal', [1, 1, 'm']], ['strictEqual', [1, 1, 'm']], ['deepStrictEqual', [{}, {}, 'm']], ['notStrictEqual', [1, 2, 'm']], ['throws', [() => { throw new Error('x'); }, Error, 'm']], ['doesNotThrow', [cb, Error, 'm']], ['rejects', [async () => { throw new Error('x'); }, Error, 'm']], ['doesNotReject', [async () => {}, Error, 'm']],
  ['match', ['x', /x/, 'm']], ['doesNotMatch', ['y', /x/, 'm']], ['ifError', [null]], ['fail', ['m']],
]);
add('globals', 'structuredClone', () => structuredClone, [{}, {}]);
