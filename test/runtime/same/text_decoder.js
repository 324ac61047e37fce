'use strict';
// TextDecoder and TextEncoder: lone surrogates, pieces, marks, what is refused.
const { log } = console;
const show = (label, options, ...bytes) => {
  try {
    log(label, options, bytes, JSON.stringify(new TextDecoder(label, options).decode(new Uint8Array(bytes))));
  } catch (error) {
    log(label, options, bytes, error.name, error.code, error.message);
  }
};
for (const options of [{}, { fatal: true }, { ignoreBOM: true }]) {
  for (const bytes of [[0, 0xd8], [0, 0xd8, 65, 0], [0, 0xdc, 65, 0], [0x3d, 0xd8, 0x4d, 0xdc], [65], [0xff, 0xfe, 65, 0]]) show('utf-16le', options, ...bytes);
  for (const bytes of [[0xef, 0xbb, 0xbf, 65], [0xff, 65], [0xe2, 0x82]]) show('utf-8', options, ...bytes);
  show('utf-16be', options, 0xfe, 0xff, 0, 65);
}
for (const [label, pieces] of [['utf-16le', [[0x3d], [0xd8], [0x4d], [0xdc, 65]]], ['utf-8', [[0xe2], [0x82], [0xac, 0xf0, 0x9f]]]]) {
  const decoder = new TextDecoder(label);
  log(pieces.map((piece) => decoder.decode(new Uint8Array(piece), { stream: true })), decoder.decode());
}
log(new TextEncoder().encodeInto('a\u00e9\u20ac\u{1f600}', new Uint8Array(5)), new TextEncoder().encode('\ud800'));
log(new TextDecoder(' UTF8\n').encoding, new TextDecoder('l1').encoding, new TextDecoder(), Object.keys(TextDecoder.prototype), String(new TextEncoder()));
for (const call of [
  () => new TextDecoder('none'), () => new TextDecoder('utf-8', 1), () => new TextDecoder().decode(1), () => new TextDecoder().decode(null),
  () => TextDecoder.prototype.decode.call({}), () => TextEncoder.prototype.encode.call({}, 'a'), () => new TextEncoder().encodeInto('a'),
  () => new TextEncoder().encodeInto(1, new Uint8Array(2)),
])
  try {
    log(call());
  } catch (error) {
    log(error.name, error.code, error.message);
  }
