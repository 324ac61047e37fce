'use strict';
module.exports = require('vendor/string_decoder');
