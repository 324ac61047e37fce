'use strict';
// The constants of os and fs in one list, for programs written before os.constants and fs.constants
// existed.

const { constants } = require('os');

module.exports = Object.freeze({
  __proto__: null,
  ...constants.dlopen, ...constants.errno, ...constants.priority, ...constants.signals, ...require('fs').constants,
});
