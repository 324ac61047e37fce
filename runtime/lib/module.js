'use strict';
module.exports = require('internal/loader').Module;
