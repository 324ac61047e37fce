'use strict';
// timer inside microtask, and interval inside both.
require('../lib/chain')('microtask', 'timer', 'interval');
