'use strict';
// interval inside microtask, and immediate inside both.
require('../lib/chain')('microtask', 'interval', 'immediate');
