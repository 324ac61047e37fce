'use strict';
// Bytes and text.
console.log(Buffer.from('h\u00e9llo'), Buffer.from('abc'), Buffer.from('x'.repeat(600)).length, Buffer.from(''),
  Buffer.alloc(5).fill('ab'), Buffer.alloc(5).fill(7, 1, 3), Buffer.alloc(4, '\u00e9'), Buffer.from([1, 2, 300]),
  Buffer.from('ff0g', 'hex'), Buffer.alloc(60));
const buffer = Buffer.from('hello world');
console.log(buffer.slice(2, 5).toString(), buffer.subarray(-5).toString(), buffer.indexOf('wor'), buffer.includes('xyz'));
console.log(buffer.equals(Buffer.from('hello world')), buffer.toString('latin1', 1, 3), buffer.readUInt16BE(0),
  buffer.writeUInt32LE(1, 0), buffer.toJSON().data.length, Buffer.compare(Buffer.from('a'), Buffer.from('b')), buffer.readUint8(0));
console.log(Buffer.isBuffer(buffer), buffer instanceof Uint8Array, buffer.toString('base64url'), Buffer.from('_-8', 'base64url'),
  Buffer.byteLength('\u00e9'), buffer.write('ZZ', 3), buffer.fill(0), Buffer.concat([buffer, Buffer.from('z')], 12).length);
for (const bad of [() => Buffer.from(5), () => Buffer.alloc('x'), () => buffer.toString('nope'), () => Buffer.from(null)])
  try {
    bad();
  } catch (error) {
    console.log(error.name, error.code);
  }
console.log(atob('aGk='), btoa('hi'), Buffer.from('\u00e9', 'latin1'), Buffer.from('\u00e9', 'utf16le'), Buffer.from(new Uint16Array([1, 256])));
const { StringDecoder } = require('string_decoder');
const decoder = new StringDecoder('utf8');
console.log([0xe2, 0x82, 0xac].map((byte) => decoder.write(Buffer.from([byte]))), decoder.end());
console.log(new TextEncoder().encode('h\u00e9'), new TextDecoder().decode(new Uint8Array([104, 195, 169])));
console.log(new TextDecoder('utf-16le').decode(new Uint8Array([104, 0, 105, 0])), new TextEncoder().encodeInto('\u20acx', new Uint8Array(4)));
console.log('lone surrogate:', Buffer.from('a\ud800b'), 'bad bytes:', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]).toString());
try {
  new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]));
} catch (error) {
  console.log(error.name, error.code);
}
console.log(structuredClone({ a: [1, new Date(0), new Map([[1, new Set([2])]])], bytes: new Uint8Array([1, 2]), r: /x/g }));
