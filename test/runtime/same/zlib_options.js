'use strict';
// zlib: what is refused, and with which words.
const zlib = require('zlib');
// Outcomes, and the values that lead to each: "name value" is what show is called with.
const outcomes = new Map();
const note = (name, outcome) => {
  const [, what, value] = /^(.*?) ?(\S*(?: => {})?)$/.exec(name);
  const key = `${what}: ${outcome}`;
  outcomes.set(key, [...outcomes.get(key) ?? [], value]);
};
const show = (name, run) => {
  try {
    const value = run();
    note(name, typeof value === 'object' && value !== null ? value.constructor.name : value);
  } catch (error) {
    note(name, `${error.name} ${error.code} ${error.message.replace(/ Received .*/, '')}`);
  }
};
const wrong = [undefined, null, 0, -1, 1.5, NaN, Infinity, 8, 16, 64, 2 ** 53, '5', 'x', true, {}, () => {}, Symbol('s'), 5n];
const classes = ['Gzip', 'Gunzip', 'Deflate', 'Inflate', 'DeflateRaw', 'InflateRaw', 'Unzip', 'BrotliCompress', 'BrotliDecompress'];
for (const name of ['level', 'windowBits', 'memLevel', 'strategy', 'chunkSize', 'flush', 'finishFlush', 'maxOutputLength', 'dictionary', 'params', 'info'])
  for (const value of wrong) {
    if (name === 'dictionary' && value === true) continue;
    if (name === 'chunkSize' && typeof value === 'number' && value > 1e9) continue;
    const shown = typeof value === 'bigint' ? '5n' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    for (const kind of name === 'windowBits' ? classes : ['Deflate', 'InflateRaw', 'BrotliCompress', 'BrotliDecompress'])
      show(`${kind} ${name} ${shown}`, () => new zlib[kind]({ [name]: value }));
  }
for (const value of wrong) {
  const shown = typeof value === 'bigint' ? '5n' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  show(`options ${shown}`, () => new zlib.Gzip(value));
  show(`call ${shown}`, () => zlib.createInflate(value));
  show(`gzipSync ${shown}`, () => zlib.gzipSync(value));
  show(`inflateSync ${shown}`, () => zlib.inflateSync(value));
  show(`gzip ${shown}`, () => zlib.gzip(value, () => {}));
  show(`gzip callback ${shown}`, () => { if (typeof value !== 'function') return zlib.gzip('a', value); });
  show(`gzip options, callback ${shown}`, () => { if (typeof value !== 'function') return zlib.gzip('a', {}, value); });
  show(`crc32 ${shown}`, () => zlib.crc32(value));
  show(`crc32 value ${shown}`, () => zlib.crc32('a', value));
  show(`brotli param ${shown}`, () => new zlib.BrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: value } }));
  show(`flush ${shown}`, () => new zlib.Gzip().flush(value) );
  show(`params ${shown}`, () => new zlib.Gzip().params(value, 0) );
  show(`params strategy ${shown}`, () => new zlib.Gzip().params(1, value) );
  show(`_processChunk ${shown}`, () => typeof value === 'number' && value >= 0 && value < 5 ? new zlib.Gzip()._processChunk(Buffer.from('a'), value).length > 0 : 0 );
}
for (const key of ['x', '-1', '99', '1.5', '10', '7', ''])
  for (const kind of ['BrotliCompress', 'BrotliDecompress'])
    show(`${kind} params.${key}`, () => new zlib[kind]({ params: { [key]: 1 } }));
show('large quality', () => new zlib.BrotliCompress({ params: { 1: 99 } }));
show('large lgwin', () => new zlib.BrotliCompress({ params: { 2: 99 } }));
for (const kind of classes) {
  show(`${kind} without new`, () => zlib[kind]() instanceof zlib[kind]);
  show(`${kind} empty`, () => zlib[`${kind[0].toLowerCase()}${kind.slice(1).replace('BrotliC', 'brotliC')}Sync`.replace('gzipS', 'gzipS')](''));
}
for (const [outcome, values] of outcomes) console.log(`${outcome} <- ${values.join(' ')}`);
