'use strict';
// error inside rejection, and beforeExit inside both.
require('../lib/chain')('rejection', 'error', 'beforeExit');
