'use strict';
// --unhandled-rejections: what a rejection does that nobody handles, other than "throw".

const { rejectionError } = require('internal/main');

function warn(reason, id) {
  const isError = typeof reason === 'object' && reason !== null && typeof reason.stack === 'string';
  const origin = new Error(isError ? reason.stack : require('internal/fatal').plain(reason));
  origin.name = 'UnhandledPromiseRejectionWarning';
  if (isError) Object.defineProperty(origin, 'stack', { __proto__: null, value: reason.stack, configurable: true, writable: true });
  process.emitWarning(origin);
  const warning = new Error('Unhandled promise rejection. This error originated either by throwing inside of an async function without a ' +
    'catch block, or by rejecting a promise which was not handled with .catch(). To terminate the node process on unhandled promise ' +
    `rejection, use the CLI flag \`--unhandled-rejections=strict\` (see https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). (rejection id: ${id})`);
  warning.name = 'UnhandledPromiseRejectionWarning';
  process.emitWarning(warning);
}

// Whether the error is to be raised. announce(): notifies the program's listeners, returns whether there are any.
function isFatal(mode, reason, announce, id) {
  if (mode === 'strict') {
    native('process').uncaught(rejectionError(reason));
    if (!announce()) warn(reason, id);
    return false;
  }
  const isHeard = announce();
  if (mode === 'none' || (mode === 'warn-with-error-codes' && isHeard)) return false;
  warn(reason, id);
  if (mode === 'warn-with-error-codes') process.exitCode = 1;
  return false;
}

module.exports = { isFatal };
