'use strict';
// The package of that name; Node has deprecated its own.
module.exports = require('vendor/punycode');
