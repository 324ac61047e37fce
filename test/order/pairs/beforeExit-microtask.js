'use strict';
// microtask inside beforeExit, and error inside both.
require('../lib/chain')('beforeExit', 'microtask', 'error');
