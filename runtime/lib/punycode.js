'use strict';
// The package of that name; Node advises against its own.
module.exports = require('vendor/punycode');
