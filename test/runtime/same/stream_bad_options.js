'use strict';
// Streams with options that are wrong or odd: what is refused, in which words, and what comes
// of the others.
const stream = require('stream');
const { inspect } = require('util');

const { Readable, Writable, Duplex, PassThrough } = stream;
const values = [undefined, null, 0, 1, -1, 1.5, NaN, Infinity, '5', 'utf8', 'UCS-2', '', true, false, {}, [], [3], () => {},
  10n, Symbol('s'), { valueOf: () => 5 }, 2 ** 53];
const names = ['highWaterMark', 'readableHighWaterMark', 'writableHighWaterMark', 'objectMode', 'readableObjectMode',
  'writableObjectMode', 'encoding', 'defaultEncoding', 'decodeStrings', 'emitClose', 'autoDestroy', 'allowHalfOpen', 'read',
  'write', 'writev', 'final', 'destroy', 'transform', 'flush', 'readable', 'writable'];
const several = [{ highWaterMark: null, readableHighWaterMark: -1 }, { highWaterMark: 3, readableHighWaterMark: -1 },
  { highWaterMark: -3, writableHighWaterMark: 4 }, { objectMode: true, highWaterMark: 'a' }, { readableHighWaterMark: 0 },
  { readableHighWaterMark: 0, writableHighWaterMark: 'q' }, { highWaterMark: 0, writableHighWaterMark: 7 },
  { readableObjectMode: true, readableHighWaterMark: 2.5 }, { readableHighWaterMark: 1, writableHighWaterMark: 2.5 }];

function attempt(label, work) {
  let result;
  try {
    result = work();
  } catch (error) {
    result = `${error.name} ${error.code} ${error.message}`;
  }
  console.log(label, result);
}
const facts = (s) => [s.readableHighWaterMark, s.writableHighWaterMark, s.readableObjectMode, s.writableObjectMode,
  s.readableEncoding, s.readable, s.writable, s.allowHalfOpen, s.destroyed, s._writableState?.defaultEncoding].join();
const make = (Kind, options) => new Kind(options).on('error', () => {});

for (const Kind of [Readable, Writable, Duplex, PassThrough]) {
  for (const name of names)
    for (const value of /Mark|ncoding/.test(name) ? values : values.slice(0, 9)) attempt(`${Kind.name} ${name} ${inspect(value)}`, () => facts(make(Kind, { [name]: value })));
  for (const options of several) attempt(`${Kind.name} ${inspect(options)}`, () => facts(make(Kind, options)));
}
for (const value of values) {
  attempt(`default for bytes ${inspect(value)}`, () => stream.setDefaultHighWaterMark(false, value));
  attempt(`default for objects ${inspect(value)}`, () => stream.getDefaultHighWaterMark(value));
  stream.setDefaultHighWaterMark(false, 16384);
  attempt(`setDefaultEncoding ${inspect(value)}`, () => make(Writable).setDefaultEncoding(value)._writableState.defaultEncoding);
  attempt(`setEncoding ${inspect(value)}`, () => make(Readable, { read() {} }).setEncoding(value).readableEncoding);
}

const signals = { undefined, null: null, number: 1, text: 'x', object: {}, array: [], call: () => {}, aborted: AbortSignal.abort() };
const targets = { undefined, null: null, number: 0, text: 'x', object: {}, emitter: new (require('events'))() };
for (const [name, signal] of Object.entries(signals)) {
  for (const [target, value] of Object.entries(targets))
    attempt(`addAbortSignal(${name}, ${target})`, () => stream.addAbortSignal(signal, value));
  for (const Kind of [Readable, Writable, PassThrough]) {
    attempt(`addAbortSignal(${name}, ${Kind.name})`, () => stream.addAbortSignal(signal, make(Kind)).destroyed);
    if (name !== 'null') attempt(`signal ${name} of ${Kind.name}`, () => make(Kind, { signal }).destroyed);
  }
}
