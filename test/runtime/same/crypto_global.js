'use strict';
// The global crypto, asked before anybody requires the module.
console.log(crypto.getRandomValues(new Uint8Array(3)).length, crypto.randomUUID().length);
console.log(crypto.getRandomValues(new Uint32Array(0)).length, Object.prototype.toString.call(crypto));
console.log(require('crypto').webcrypto === crypto);
