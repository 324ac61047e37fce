'use strict';
module.exports = require('internal/inspect');
