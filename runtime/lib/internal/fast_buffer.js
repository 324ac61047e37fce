'use strict';
// The class of Buffers. Its prototype is Buffer's, so that `new FastBuffer` makes a Buffer at the
// cost of a Uint8Array, without changing a prototype afterwards.

module.exports = class FastBuffer extends Uint8Array {
  constructor(source, byteOffset, length) {
    super(source, byteOffset, length);
  }
};
