'use strict';
// stream.duplexPair(): data written to one stream is read from the other.

// own methods: other, this.#other
const Duplex = require('internal/streams/duplex');

class Side extends Duplex {
  #other = null;
  #taken = null; // called when the other's chunk was read

  constructor(options) { super(options); }

  static pair(options) {
    const one = new Side(options);
    const two = new Side(options);
    one.#other = two;
    two.#other = one;
    return [one, two];
  }

  _read() {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
  }

  _write(chunk, encoding, callback) {
    const other = this.#other;
    if (chunk.length !== 0) {
      other.push(chunk);
      other.#taken = callback;
    } else {
      process.nextTick(callback); // nobody will read it
    }
  }

  _final(callback) {
    this.#other.on('end', callback);
    this.#other.push(null);
  }
}
Object.defineProperty(Side, 'name', { __proto__: null, value: 'DuplexSide' });

module.exports = (options) => Side.pair(options);
