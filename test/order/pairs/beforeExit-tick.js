'use strict';
// tick inside beforeExit, and beforeExit inside both.
require('../lib/chain')('beforeExit', 'tick', 'beforeExit');
