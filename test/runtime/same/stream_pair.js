'use strict';
// stream.duplexPair: two ends of one line.
const { duplexPair } = require('stream');

for (const options of [{}, { encoding: 'utf8' }, { objectMode: true, highWaterMark: 1 }]) {
  const [a, b] = duplexPair(options);
  for (const [name, side] of [['a', a], ['b', b]])
    for (const event of ['data', 'end', 'finish', 'close', 'drain'])
      side.on(event, (value) => console.log(Object.keys(options).join(), name, event, value));
  console.log(a.write('one'), a.write('two'), b.write('back'));
  a.write('', () => console.log('empty written'));
  a.end('last', () => console.log('a is through'));
  setImmediate(() => b.end());
}
