'use strict';
// The name that util once had.
process.emitWarning('sys is deprecated. Use util instead.', 'DeprecationWarning', 'DEP0025');
module.exports = require('util');
