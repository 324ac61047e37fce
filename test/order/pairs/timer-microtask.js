'use strict';
// microtask inside timer, and interval inside both.
require('../lib/chain')('timer', 'microtask', 'interval');
