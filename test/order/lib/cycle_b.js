'use strict';
exports.done = false;
exports.seen = require('./cycle_a').done;
console.log('b sees a', exports.seen);
exports.done = true;
