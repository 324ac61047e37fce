'use strict';
exports.done = false;
exports.b = require('./cycle_b');
console.log('a sees b', exports.b.done);
exports.done = true;
