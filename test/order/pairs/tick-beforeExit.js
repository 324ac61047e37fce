'use strict';
// beforeExit inside tick, and beforeExit inside both.
require('../lib/chain')('tick', 'beforeExit', 'beforeExit');
