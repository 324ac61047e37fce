'use strict';
module.exports = require('internal/kinds');
