'use strict';
// Streams that are left before their end, and values that are refused on the way.
const { Duplex, PassThrough, Readable, pipeline } = require('stream');

const say = (name, stream) => console.log(name, stream.destroyed, stream.errored && stream.errored.code);
const endless = () => new Readable({ read() { this.push('a'); } });
const short = (options) => new Readable({ ...options, read() { this.push('a'); this.push(null); } });
const both = () => new Duplex({ read() { this.push('a'); this.push(null); }, write(c, e, callback) { callback(); } });

async function leave(name, stream) {
  stream.on('close', () => say(`${name}: close`, stream));
  for await (const chunk of stream) {
    void chunk;
    break;
  }
  say(name, stream);
}

async function throwIn(name, stream) {
  try {
    for await (const chunk of stream) throw new Error(`not ${chunk}`);
  } catch (error) {
    console.log(error.message);
  }
  say(name, stream);
}

async function readAll(name, stream) {
  for await (const chunk of stream) void chunk;
  say(name, stream);
}

async function attempt(name, fn) {
  try {
    console.log(name, await fn());
  } catch (error) {
    console.log(name, error.code, error.message);
  }
}

async function main() {
  await leave('endless', endless());
  await leave('with an error listener', endless().on('error', (error) => console.log('error', error.code)));
  await leave('at the last chunk', short());
  await leave('one half', both());
  await throwIn('thrown in the loop', endless());
  await readAll('all', short());
  await readAll('all of one half', both());
  await readAll('all, and not destroyed', short({ autoDestroy: false }));
  await attempt('too much', () => endless().read(2 ** 31));
  await attempt('no such encoding', () => new Readable({ read() {} }).push('a', 'nope'));
  await attempt('no function', () => endless().reduce(5));
  const done = () => {};
  for (const value of [5, null, 'text'.length > 9, {}])
    for (const steps of [[() => value, new PassThrough()], [['a'], () => value], [['a'], () => value, new PassThrough()]])
      await attempt(`a function that returns ${JSON.stringify(value)}`, () => typeof pipeline(...steps, done));
  const { paused } = endless()._readableState;
  console.log(paused, endless().pause()._readableState.paused, endless().resume()._readableState.paused);
}
main().then(() => process.exit());
