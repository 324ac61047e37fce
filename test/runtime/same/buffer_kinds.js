'use strict';
// Buffer among other kinds of bytes, encodings, numbers at their limits, what is refused.
const { Buffer, transcode, isUtf8, isAscii, SlowBuffer } = require('buffer');
const { StringDecoder } = require('string_decoder');
const { log } = console;
const bytes = new Uint8Array([1, 2, 3]);

log(Buffer.from([1, 2, 3]).equals(bytes), Buffer.from([1, 2, 3]).compare(bytes), Buffer.compare(bytes, new Uint8Array([1, 9])));
const target = new Uint8Array(5);
log(Buffer.prototype.copy.call(bytes, target, 1), target, Buffer.from('abcdef').copy(target, 3, 1, 3), target);
log(Buffer.byteLength(new SharedArrayBuffer(4)), Buffer.from(new SharedArrayBuffer(2)), Buffer.from(bytes.buffer, 1, 1));
log(Buffer.from(new String('text')), Buffer.from({ length: 2, 0: 7, 1: 300 }), Buffer.from({ type: 'Buffer', data: [1, 2] }));
log(Buffer.from({ [Symbol.toPrimitive]: () => 'prim' }), Buffer.from(new Uint16Array([1, 257, 3])), Buffer.of(1, 256, -1));
log(Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1), Buffer.from([1, 2, 3]).map((byte) => byte * 2), SlowBuffer(2));
for (const encoding of ['utf8', 'UTF-8', 'ucs2', 'utf16le', 'latin1', 'binary', 'ascii', 'hex', 'base64', 'base64url']) {
  const made = Buffer.from('6869c3a9', encoding);
  log(encoding, made, made.toString(encoding), Buffer.byteLength('zö=', encoding), Buffer.alloc(5, '6869', encoding), made.write('7a7a', 1, encoding), made);
}
log(Buffer.from('abxx', 'hex'), Buffer.from('abc', 'hex'), Buffer.from('YW J-j_=zz', 'base64'), Buffer.from('YQ', 'base64url'), Buffer.from('\ud800x'));
log(Buffer.from('ff').indexOf(Buffer.from('f'), 1, 'ucs2'), Buffer.from('abcabc').lastIndexOf('c', -2), Buffer.alloc(7, Buffer.from('xy')));
log(transcode(Buffer.from('t\u00e9st \u20ac\u{1f600}'), 'utf8', 'latin1'), transcode(Buffer.from('a'), 'ascii', 'utf16le'));
log(isUtf8(Buffer.from([0xc3, 0xa9])), isUtf8(Buffer.from([0xc3])), isAscii(new Uint8Array([128])), isAscii(new ArrayBuffer(1)));
const numbers = Buffer.alloc(8);
log(numbers.writeDoubleBE(-1.5), numbers.readDoubleLE(), numbers.readFloatBE(), numbers.writeIntBE(-5, 0, 6), numbers.readUIntLE(1, 5));
log(numbers.writeBigInt64LE(-2n), numbers.readBigUInt64BE(), numbers.readBigInt64LE(), numbers.readInt16BE(2), numbers.readInt8(7));
log(numbers.swap16(), numbers.swap64().toJSON(), numbers.parent === numbers.buffer, Buffer.from('abc').subarray(-2, -1));
const decoder = {};
StringDecoder.call(decoder, 'utf16le');
log(decoder.encoding);
const half = new StringDecoder('utf16le');
log([half.write(Buffer.from('3dd8', 'hex')), half.write(Buffer.from('4d', 'hex')), half.lastNeed, half.end(Buffer.from('dc', 'hex'))]);
for (const call of [
  () => Buffer.from(), () => Buffer.from(5), () => Buffer.from(null), () => Buffer.from({}), () => Buffer.from(() => {}),
  () => Buffer.from('a', 'none'), () => Buffer.from(new ArrayBuffer(2), 3), () => Buffer.from(new ArrayBuffer(2), 1, 2),
  () => Buffer.alloc(-1), () => Buffer.alloc('1'), () => Buffer.alloc(2, 'a', 3), () => Buffer.alloc(2, ''), () => Buffer.alloc(2, 'zz', 'hex'),
  () => numbers.readInt8(8), () => numbers.readInt16LE(1.5), () => numbers.readInt32BE(Infinity), () => numbers.readIntBE(0, 7),
  () => numbers.readUIntLE(undefined, 2), () => numbers.writeUInt8(256), () => numbers.writeInt32LE(2 ** 31), () => numbers.writeBigUInt64LE(-1n),
  () => Buffer.alloc(1).readDoubleBE(), () => numbers.write(5), () => numbers.write('a', 9), () => numbers.write('a', 0, 9), () => numbers.write('a', 0, 1, 'no'),
  () => numbers.copy({}), () => numbers.copy(target, -1), () => numbers.copy(target, 0, 9), () => numbers.copy(target, 0, 0, -1), () => numbers.equals([]),
  () => numbers.compare(bytes, 0, 9), () => numbers.compare('a'), () => Buffer.compare(1, bytes), () => Buffer.concat(1), () => Buffer.concat([1]),
  () => Buffer.concat([bytes], -1), () => numbers.fill('a', 0, 9), () => numbers.fill('a', 'no'), () => numbers.indexOf({}), () => Buffer.byteLength(4),
  () => Buffer.alloc(3).swap16(), () => transcode('a', 'utf8', 'ascii'), () => transcode(bytes, 'hex', 'utf8'), () => isUtf8('a'),
  () => { require('buffer').INSPECT_MAX_BYTES = 'x'; }, () => btoa(), () => atob('a'), () => numbers.toString('none'), () => new StringDecoder('none'),
  () => Buffer.copyBytesFrom([1]), () => half.write(5),
])
  try {
    log(String(call), call());
  } catch (error) {
    log(error.name, error.code, error.message);
  }
