'use strict';
// The constants of os and fs in one list, as programs from before there were lists of their own
// ask for them.

const { constants } = require('os');

module.exports = Object.freeze({
  __proto__: null,
  ...constants.dlopen, ...constants.errno, ...constants.priority, ...constants.signals, ...require('fs').constants,
});
