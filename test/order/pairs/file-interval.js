'use strict';
// interval inside file, and beforeExit inside both.
require('../lib/chain')('file', 'interval', 'beforeExit');
