'use strict';
// beforeExit inside error, and child inside both.
require('../lib/chain')('error', 'beforeExit', 'child');
