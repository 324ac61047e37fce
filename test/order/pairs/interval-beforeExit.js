'use strict';
// beforeExit inside interval, and microtask inside both.
require('../lib/chain')('interval', 'beforeExit', 'microtask');
