'use strict';
// Classes of the web that aren't here. Packages ask whether a value is one of them, and none is; using one is an error
// that says so. `fetch` isn't defined at all, so that those who look for it find another way.

const { over } = intrinsics;
const { notImplemented } = require('internal/errors');

function absent(name) {
  return {
    [name]: class {
      constructor() {
        throw notImplemented(name);
      }
    },
  }[name];
}

// Some packages make a Response to see whose it is: using one is the error.
function unusable(name, members) {
  const Class = { [name]: class {} }[name];
  for (const member of over(members))
    Object.defineProperty(Class.prototype, member, { __proto__: null, get() { throw notImplemented(`${name}.prototype.${member}`); }, configurable: true });
  return Class;
}
const BODY = ['arrayBuffer', 'blob', 'body', 'bodyUsed', 'clone', 'formData', 'headers', 'json', 'ok', 'status', 'text', 'url'];

const classes = { __proto__: null };
module.exports = {
  get ReadableStream() { return classes.ReadableStream ??= absent('ReadableStream'); },
  get WritableStream() { return classes.WritableStream ??= absent('WritableStream'); },
  get TransformStream() { return classes.TransformStream ??= absent('TransformStream'); },
  get Request() { return classes.Request ??= absent('Request'); },
  get Response() { return classes.Response ??= unusable('Response', BODY); },
};
