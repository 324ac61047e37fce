'use strict';
// rejection inside error, and beforeExit inside both.
require('../lib/chain')('error', 'rejection', 'beforeExit');
