'use strict';
// microtask inside interval, and immediate inside both.
require('../lib/chain')('interval', 'microtask', 'immediate');
