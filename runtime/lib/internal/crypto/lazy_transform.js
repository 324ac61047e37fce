'use strict';
// A Transform that becomes one when somebody looks at it as at a stream. Most hashes and ciphers
// are never used as streams, and a stream costs more than a short hash.

const { Transform } = require('internal/streams/transform');
const { over } = intrinsics;

function LazyTransform(options) {
  this._options = options;
}
Object.setPrototypeOf(LazyTransform.prototype, Transform.prototype);
Object.setPrototypeOf(LazyTransform, Transform);

function define(stream, name, value) {
  Object.defineProperty(stream, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
}

// The fields are made first, so that the constructor finds no accessors.
function become(stream) {
  define(stream, '_readableState', undefined);
  define(stream, '_writableState', undefined);
  Reflect.apply(Transform, stream, [stream._options]);
}

for (const name of over(['_readableState', '_writableState']))
  Object.defineProperty(LazyTransform.prototype, name, {
    __proto__: null,
    get() {
      become(this);
      return this[name];
    },
    set(value) {
      define(this, name, value);
    },
    configurable: true,
    enumerable: true,
  });

module.exports = LazyTransform;
