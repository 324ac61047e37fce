'use strict';
// The class that Buffers are made of. Its prototype is Buffer's, so that `new FastBuffer`
// makes one at the price of a Uint8Array, without changing a prototype afterwards.

module.exports = class FastBuffer extends Uint8Array {
  constructor(source, byteOffset, length) {
    super(source, byteOffset, length);
  }
};
