'use strict';
// zlib at once: what every format makes of whole, cut and broken data.
const zlib = require('zlib');
const { log } = console;
const show = (name, run) => {
  try {
    const value = run();
    log(name, value.length, String(value).slice(0, 20));
  } catch (error) {
    log(name, Object.keys(error), error.name, error.code, error.errno, error.message.split('\n')[0]);
  }
};
const text = Buffer.from('hello '.repeat(1000));
const gzip = zlib.gzipSync(text);
const deflate = zlib.deflateSync(text);
const brotli = zlib.brotliCompressSync(text);
const { concat, from } = Buffer;
const changed = (data, at) => {
  const copy = from(data);
  copy[copy.length + at] ^= 1;
  return copy;
};
const readers = ['gunzip', 'inflate', 'inflateRaw', 'unzip', 'brotliDecompress'];
const inputs = {
  empty: '', junk: 'junk', gzip, deflate, raw: zlib.deflateRawSync(text), brotli, 'gzip cut': gzip.subarray(0, -3), 'gzip head': gzip.subarray(0, 5),
  'deflate cut': deflate.subarray(0, -3), 'brotli cut': brotli.subarray(0, -3), 'gzip twice': concat([gzip, gzip]),
  'gzip and junk': concat([gzip, from('junk')]), 'gzip and zeros': concat([gzip, Buffer.alloc(10)]),
  'gzip and half a head': concat([gzip, from([0x1f])]), 'gzip and a wrong head': concat([gzip, from([0x1f, 0x8b, 1, 1, 1, 1])]),
  'deflate twice': concat([deflate, deflate]), 'first byte': from([0x1f]), 'two bytes': from([0x1f, 0x8b]), 'wrong second byte': from([0x1f, 0]),
  'wrong checksum': changed(gzip, -5), 'wrong length': changed(gzip, -1), 'wrong sum': changed(deflate, -1), 'brotli window': from([0x11, 255, 255, 255]),
};
for (const name in inputs)
  for (const reader of readers) {
    if (/junk|deflate|brotli/.test(name) && reader === 'brotliDecompress' && name !== 'brotli' && name !== 'brotli cut' && name !== 'brotli window') continue;
    if (/gzip|deflate|wrong/.test(name) && reader === 'inflateRaw') continue; // versions of the library differ in what they see first
    show(`${name}, ${reader}`, () => zlib[`${reader}Sync`](inputs[name]));
  }

const dictionary = from('hello hello');
const withDictionary = zlib.deflateSync(text, { dictionary });
show('no dictionary', () => zlib.inflateSync(withDictionary));
show('another dictionary', () => zlib.inflateSync(withDictionary, { dictionary: from('x') }));
show('dictionary', () => zlib.inflateSync(withDictionary, { dictionary }));
show('dictionary in a buffer', () => zlib.inflateSync(withDictionary, { dictionary: new Uint8Array(dictionary).buffer }));
show('raw, dictionary', () => zlib.inflateRawSync(zlib.deflateRawSync(text, { dictionary }), { dictionary }));
show('raw, no dictionary', () => zlib.inflateRawSync(zlib.deflateRawSync(text, { dictionary })));

const bomb = zlib.gzipSync(Buffer.alloc(1e6));
show('bomb', () => zlib.gunzipSync(bomb, { maxOutputLength: 1000 }));
show('just large enough', () => zlib.gunzipSync(bomb, { maxOutputLength: 1e6 }));
show('one byte too large', () => zlib.gunzipSync(bomb, { maxOutputLength: 1e6 - 1 }));
show('brotli bomb', () => zlib.brotliDecompressSync(zlib.brotliCompressSync(Buffer.alloc(1e6)), { maxOutputLength: 1000 }));

show('cut, but not finished', () => zlib.gunzipSync(gzip.subarray(0, -3), { finishFlush: zlib.constants.Z_SYNC_FLUSH }));
show('window too small', () => zlib.inflateSync(deflate, { windowBits: 8 }));
const bytes = new Uint8Array(gzip);
show('ArrayBuffer', () => zlib.gunzipSync(bytes.buffer));
show('DataView', () => zlib.gunzipSync(new DataView(bytes.buffer)));
show('Uint16Array', () => zlib.gunzipSync(zlib.gzipSync(new Uint16Array([1, 2, 3]))));
show('levels', () => [-1, 0, 1, 5, 9].map((level) => zlib.inflateSync(zlib.deflateSync(text, { level })).equals(text)).join());
show('strategies', () => [0, 1, 2, 3, 4].map((strategy) => zlib.inflateSync(zlib.deflateSync(text, { strategy })).equals(text)).join());
show('windows', () => [9, 12, 15].map((windowBits) => zlib.gunzipSync(zlib.gzipSync(text, { windowBits, memLevel: 1 })).equals(text)).join());
show('raw windows', () => [8, 9, 15].map((windowBits) => zlib.inflateRawSync(zlib.deflateRawSync(text, { windowBits })).equals(text)).join());
const { BROTLI_PARAM_LARGE_WINDOW, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = zlib.constants;
show('brotli', () => zlib.brotliDecompressSync(zlib.brotliCompressSync(text, { params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT } })));
const large = zlib.brotliCompressSync('a', { params: { [BROTLI_PARAM_LARGE_WINDOW]: true, [BROTLI_PARAM_LGWIN]: 30 } });
show('large window refused', () => zlib.brotliDecompressSync(large));
show('large window', () => zlib.brotliDecompressSync(large, { params: { [zlib.constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: true } }));
const { buffer, engine } = zlib.gzipSync('a', { info: true });
log(buffer.length, engine.constructor.name, engine.bytesWritten, engine._closed, engine._handle, engine.destroyed);
const gone = new zlib.Gzip();
gone.close();
show('reset after close', () => gone.reset());
const part = new zlib.Inflate();
log(String(part._processChunk(zlib.deflateSync('in parts'), zlib.constants.Z_FINISH)), part._closed);

log(zlib.crc32('hello'), zlib.crc32(from('lo'), zlib.crc32('hel')), zlib.crc32(''), zlib.crc32(new Uint16Array([1])), zlib.crc32('', 7));
const { ZLIB_VERNUM, ...constants } = zlib.constants; // of the library that is used
log(typeof ZLIB_VERNUM, constants, zlib.codes);
log(Object.keys(zlib).join());
for (const name of ['constants', 'codes', 'createGzip', 'gzip', 'Z_BLOCK', 'crc32']) {
  const { value, ...rest } = Object.getOwnPropertyDescriptor(zlib, name);
  log(name, typeof value, value.length, value.name, rest);
}
log(Object.isFrozen(zlib.constants), Object.isFrozen(zlib.codes), zlib.Z_BEST_SPEED, zlib.BROTLI_PARAM_MODE);
for (const kind of ['Gzip', 'Unzip', 'BrotliDecompress']) {
  const chain = [];
  for (let at = zlib[kind].prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) chain.push(at.constructor.name);
  log(chain.join());
}
const mixed = new zlib.Gzip({ objectMode: true, encoding: 'hex', readableObjectMode: true, writableObjectMode: true });
log(mixed.writableObjectMode, mixed.readableObjectMode, mixed.readableEncoding, mixed.readableHighWaterMark);
