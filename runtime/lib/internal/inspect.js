'use strict';
const v = require('vendor/util');
module.exports = { inspect: v.inspect, formatWithOptions: (o, ...a) => v.format(...a) };
