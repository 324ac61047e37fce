'use strict';
// Cyclic requires see what is there so far.
const a = require('../lib/cycle_a');
console.log('main', a.done, a.b.done, a.b.seen);
