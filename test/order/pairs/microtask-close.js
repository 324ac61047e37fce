'use strict';
// close inside microtask, and beforeExit inside both.
require('../lib/chain')('microtask', 'close', 'beforeExit');
