'use strict';
// tick inside microtask, and microtask inside both.
require('../lib/chain')('microtask', 'tick', 'microtask');
