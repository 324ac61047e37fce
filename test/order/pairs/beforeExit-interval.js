'use strict';
// interval inside beforeExit, and microtask inside both.
require('../lib/chain')('beforeExit', 'interval', 'microtask');
