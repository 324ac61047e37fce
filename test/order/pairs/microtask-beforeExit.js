'use strict';
// beforeExit inside microtask, and error inside both.
require('../lib/chain')('microtask', 'beforeExit', 'error');
