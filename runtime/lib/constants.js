'use strict';
// The constants of os and fs in one list, for programs written before os.constants and fs.constants
// existed.

const { constants } = require('os');

// Programs ask it for hasOwnProperty, as any object: Node's has a prototype, other than what it is made of.
module.exports = Object.freeze({
  ...constants.dlopen, ...constants.errno, ...constants.priority, ...constants.signals, ...require('fs').constants,
});
