'use strict';
// What Buffer and StringDecoder refuse, in which words, and how they read broken text.
const { StringDecoder } = require('string_decoder');

function attempt(name, call) {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}

const numbers = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xfe]);
for (const method of ['readInt8', 'readUInt16LE', 'readInt32BE', 'readDoubleLE', 'readBigUInt64BE'])
  for (const offset of [undefined, 2, 9, 100, -1, 1.5, '1', NaN, null]) attempt(`${method} ${offset}`, () => numbers[method](offset));
for (const [method, ...args] of [['readIntLE', 0, 6], ['readIntLE', 0, 7], ['readUIntBE', 8, 3], ['readIntBE', 0],
  ['writeInt8', 128], ['writeUInt16LE', -1], ['writeInt32LE', 2 ** 31], ['writeUIntBE', 2 ** 40, 0, 5],
  ['writeBigInt64LE', 2n ** 63n], ['writeBigUInt64LE', 1], ['writeDoubleBE', 1, 5], ['writeInt8', '7']])
  attempt(`${method} ${args.join()}`, () => Buffer.alloc(8)[method](...args));
attempt('small', () => Buffer.alloc(1).readInt16LE());
attempt('concat', () => Buffer.concat('x'));
attempt('concat items', () => Buffer.concat([5]));
attempt('compare', () => Buffer.compare('a', 'b'));
attempt('equals', () => numbers.equals('x'));
attempt('copy', () => numbers.copy(Buffer.alloc(2), 0, 50));
attempt('from', () => Buffer.from({}));
attempt('fill', () => Buffer.alloc(4).fill('zz', 'hex'));
attempt('fill range', () => Buffer.alloc(4).fill('a', 0, 9));
attempt('swap', () => Buffer.alloc(3).swap16());
attempt('nothing', () => [numbers.indexOf(''), numbers.indexOf('', 50), numbers.lastIndexOf('')]);
attempt('value', () => numbers.indexOf({}));

for (const bytes of [[0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc3], [0x61, 0xe2, 0x82, 0x62], [0xff, 0xfe]])
  console.log(JSON.stringify(Buffer.from(bytes).toString()));
for (const text of ['YQ==YQ==', 'YW I=', 'Y', 'YWJjZ', 'YW=JjZA', '*&^YWJj', 'YW\nJj', '_-8'])
  console.log(Buffer.from(text, 'base64'), Buffer.byteLength(text, 'base64'));

const source = Buffer.from('aé日😀z');
for (const encoding of ['utf8', 'utf16le', 'base64', 'base64url', 'hex'])
  for (const step of [1, 2, 3]) {
    const decoder = new StringDecoder(encoding);
    const parts = [];
    for (let at = 0; at < source.length; at += step) parts.push(decoder.write(source.subarray(at, at + step)));
    console.log(encoding, step, JSON.stringify([...parts, decoder.end()]));
  }
attempt('encoding', () => new StringDecoder('none'));
attempt('write', () => new StringDecoder().write(5));
attempt('view', () => new StringDecoder().write(new Uint8Array([97])));
