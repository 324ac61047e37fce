'use strict';
// stream.destroy() of all that may be ended.
const stream = require('stream');
const EventEmitter = require('events');

const { Readable, Writable, PassThrough, Stream } = stream;
const told = (name) => (error) => console.log(name, error?.message);
const kinds = {
  readable: () => new Readable({ read() {} }),
  writable: () => new Writable({ write(chunk, encoding, done) { done(); } }),
  duplex: () => new PassThrough(),
  ended: () => {
    const made = new Readable({ read() {} });
    made.push(null);
    return made.resume();
  },
  finished: () => new Writable({ write(chunk, encoding, done) { done(); } }).end(),
  destroyed: () => new Readable({ read() {} }).destroy(),
  errored: () => new Readable({ read() {} }).on('error', () => {}).destroy(new Error('first')),
  legacy: () => Object.assign(new Stream(), { destroy: told('its destroy') }),
  closing: () => Object.assign(new Stream(), { close: told('its close') }),
  neither: () => new Stream(),
  emitter: () => new EventEmitter(),
  destroyable: () => ({ destroy: told('its destroy') }),
  zero: () => 0,
  null: () => null,
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

(async () => {
  for (const [name, make] of Object.entries(kinds))
    for (const error of [undefined, null, new Error('given')]) {
      const made = make();
      if (name === 'ended' || name === 'finished') await turn();
      made?.on?.('error', (e) => console.log(name, 'error', e.name, e.code, e.message)).on('close', () => console.log(name, 'close'));
      const result = stream.destroy(made, error);
      await turn();
      console.log(name, error?.message, result, made?.destroyed, stream.isDestroyed(made));
    }
})();
