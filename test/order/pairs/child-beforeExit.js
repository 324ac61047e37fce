'use strict';
// beforeExit inside child, and immediate inside both.
require('../lib/chain')('child', 'beforeExit', 'immediate');
