'use strict';
// http2: what packages look at when they are loaded, for those that can do without it. There is no
// HTTP/2: whoever begins to speak it gets an error that says so.

const { over } = intrinsics;
const { notImplemented } = require('internal/errors');

const absent = (name) => () => {
  throw notImplemented(`http2.${name}`);
};

module.exports = { constants: {}, sensitiveHeaders: Symbol('sensitiveHeaders') };
for (const name of over(['Http2ServerRequest', 'Http2ServerResponse']))
  module.exports[name] = { [name]: class { constructor() { absent(name)(); } } }[name];
for (const name of over(['connect', 'createServer', 'createSecureServer', 'getDefaultSettings', 'getPackedSettings', 'getUnpackedSettings', 'performServerHandshake']))
  module.exports[name] = absent(name);
