'use strict';
// indexOf and lastIndexOf with all kinds of needles, places and encodings; and
// encodings that aren't any, wherever one may be named.
const bytes = Buffer.from('abcabc\u00e9\u20ac\u{1f600}abc');
const wide = Buffer.from('abcabc\u00e9\u20ac', 'utf16le');
const needles = ['a', 'abc', '', '\u20ac', 'zz', 'YWJj', '616263', '6', 97, 256 + 97, -159, 99.9, NaN,
  Buffer.from('bc'), Buffer.alloc(0), new Uint8Array([98, 99]), wide.subarray(2, 4), null, {}, [], `${'abc'.repeat(9)}`];
const places = [undefined, null, 0, 1, 3, 6, -1, -3, -100, 100, 1.7, NaN, 'x', {}, Infinity, -Infinity, 2 ** 40];
const encodings = [undefined, 'latin1', 'ucs2', 'base64', 'hex', 'nope', ''];

const errors = {}; // told once
let number = 0;
function attempt(work) {
  try {
    return work();
  } catch (error) {
    return errors[error.message] ??= (console.log(error.name, error.code, error.message), `error ${++number}`);
  }
}
for (const [name, buffer] of Object.entries({ bytes, wide, odd: Buffer.from([0, 97, 0, 98, 0, 97, 0]), none: Buffer.alloc(0) }))
  for (const method of ['indexOf', 'lastIndexOf'])
    needles.forEach((needle, index) => {
      console.log(name, method, index, places.map((place) => attempt(() => buffer[method](needle, place))).join());
      if (name === 'odd' && typeof needle === 'object') return; // Node 20 finds what isn't there
      for (const place of [1, -2, 3, 100, -100])
        console.log(name, method, index, place, encodings.map((encoding) => attempt(() => buffer[method](needle, place, encoding))).join());
      console.log(name, method, index, encodings.map((encoding) => attempt(() => buffer[method](needle, encoding))).join());
    });

const { StringDecoder } = require('string_decoder');
const text = 'a\u00e9';
const uses = {
  decoder: (encoding) => new StringDecoder(encoding).encoding,
  known: (encoding) => Buffer.isEncoding(encoding),
  from: (encoding) => Buffer.from(text, encoding).toString('hex'),
  text: (encoding) => Buffer.from(text).toString(encoding),
  length: (encoding) => Buffer.byteLength(text, encoding),
  write: (encoding) => Buffer.alloc(4).write(text, 0, 4, encoding),
  fill: (encoding) => Buffer.alloc(4).fill(text, 0, 4, encoding).toString('hex'),
  alloc: (encoding) => Buffer.alloc(4, '\u00e9', encoding).toString('hex'),
};
const odd = [undefined, null, 0, 1, NaN, '', 'x', 'UTF8', 'utf-8', 'UCS2', true, false, {}, [], ['utf8'], () => {}, 10n,
  { toString: () => 'utf8' }];
for (const [name, use] of Object.entries(uses))
  odd.forEach((encoding, index) => console.log(name, index, attempt(() => use(encoding))));
