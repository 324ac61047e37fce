'use strict';
// Blob and File: what they are made of, how they are cut, read, printed and refused, and after
// how many microtasks one is read.
const { Blob, File, resolveObjectURL } = require('buffer');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { inspect } = require('util');

function attempt(label, work) {
  let result;
  try {
    result = inspect(work());
  } catch (error) {
    result = `${error.name} ${error.code} ${error.message}`;
  }
  console.log(label, result);
}
attempt('globals', () => [Blob === globalThis.Blob, File === globalThis.File]);
const sources = [undefined, null, 1, 'x', {}, [], ['a'], [1, 2], [null, undefined], [{}], new Uint8Array([65]),
  [new Uint8Array([65]), new Uint16Array([66]).buffer, '\u00e9', new Blob(['q'])], new Set(['a', 'b']), () => {}, new String('ab'),
  [['a']], [new DataView(new ArrayBuffer(2))], ['\ud800'], [new SharedArrayBuffer(2)]];
sources.forEach((source, index) => attempt(`source ${index}`, () => new Blob(source)));
const options = [undefined, null, 1, 'x', {}, { type: 'Text/PLAIN' }, { type: 1 }, { type: '\u00e9' }, { type: 'a\nb' },
  { endings: 'native' }, { endings: 'x' }, { endings: 1 }, { type: null }, { type: undefined }, { type: { toString: () => 'Q' } }, []];
for (const option of options) attempt(`options ${inspect(option)}`, () => new Blob(['a\nb\r\nc\rd'], option));
for (const cut of [[], [1], [1, 3], [-2], [0, -1], [2, 1], [100], [0, 3, 'X/Y'], [0, 3, 1], [0, 3, null], [undefined, undefined], [-100, 2]])
  attempt(`slice ${inspect(cut)}`, () => new Blob(['hello'], { type: 'a/b' }).slice(...cut));
for (const args of [[], [['a']], [['a'], 'n'], [['a'], 1], [['a'], undefined], [['a'], 'n', { type: 'T/x', lastModified: 5 }],
  [['a'], 'n', { lastModified: '7' }], [['a'], 'n', { lastModified: NaN }], [['a'], 'n', { lastModified: new Date(9) }],
  [['a'], 'n', { lastModified: 1.7 }], [['a'], 'n', { lastModified: null }], [['a'], 'n', null], [['a'], 'n', 1], ['a', 'n'],
  [['a'], 'a/b\\c:d\ud800'], [['a'], 'n', { endings: 'native' }], [['a'], 'n', { lastModified: -5.5 }]])
  attempt(`file ${inspect(args)}`, () => {
    const file = new File(...args);
    return [file.name, file.size, file.type, file.lastModified < 1e12 ? file.lastModified : 'now', file instanceof Blob];
  });
attempt('printed', () => [new File(['a'], 'n', { lastModified: 3 }), inspect(new Blob(['a']), { depth: 0 }), inspect([[[new Blob(['a'])]]], { depth: 1 })]);
attempt('names', () => [Object.keys(Blob.prototype), Object.getOwnPropertyNames(Blob.prototype), Reflect.ownKeys(File.prototype),
  Blob.length, File.length, `${new Blob()} ${new File([], '')}`]);
attempt('getter', () => Blob.prototype.size);
attempt('method', () => Blob.prototype.slice.call({}));

// How many microtasks until it is there.
function stepsOf(promise) {
  let steps = 0;
  let done = false;
  promise.then(() => { done = true; });
  return new Promise((resolve) => {
    const step = () => {
      steps++;
      if (done) resolve(steps);
      else queueMicrotask(step);
    };
    queueMicrotask(step);
  });
}

(async () => {
  const blob = new Blob(['a\nb\r\nc\rd', new Uint8Array([255, 65]), '\u20ac'], { endings: 'native' });
  console.log(JSON.stringify(await blob.text()), await blob.arrayBuffer(), await blob.bytes(), await blob.slice(1, 3).text());
  console.log((await new Blob([blob.slice(2, 5), blob]).text()).length, JSON.stringify(await new Blob(['\ufeffa']).text()));
  await Blob.prototype.text.call({}).catch((error) => console.log(error.name, error.code, error.message));

  const address = URL.createObjectURL(blob);
  const found = resolveObjectURL(address);
  console.log(/^blob:nodedata:[0-9a-f-]{36}$/.test(address), found === blob, found, await found.text() === await blob.text());
  URL.revokeObjectURL(address);
  console.log(resolveObjectURL(address));
  for (const value of [undefined, 1, 'x', 'blob:x', 'blob:nodedata:x', {}]) {
    attempt('resolve', () => [resolveObjectURL(value), URL.revokeObjectURL(value)]);
    attempt('create', () => URL.createObjectURL(value));
  }
  const clone = structuredClone(blob);
  console.log(clone, clone !== blob, await clone.text() === await blob.text(), structuredClone(new File(['a'], 'n')));

  for (const parts of [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['', ''], [new Blob(['a', 'b']), 'c']]) {
    const made = new Blob(parts);
    console.log(parts.length, await stepsOf(made.arrayBuffer()), await stepsOf(made.text()), await stepsOf(made.slice(1, 2).bytes()));
  }

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'blob-'));
  const file = path.join(folder, 'file');
  fs.writeFileSync(file, 'what is in it');
  const opened = await fs.openAsBlob(file, { type: 't/x' });
  console.log(opened, await opened.text(), await opened.slice(2, 7).text(), await new Blob(['<', opened, '>']).text());
  fs.writeFileSync(file, 'changed');
  await opened.text().catch((error) => console.log(error.name, error.code, error.message));
  attempt('no file', () => fs.openAsBlob(path.join(folder, 'none')));
  fs.rmSync(folder, { recursive: true });
})();
