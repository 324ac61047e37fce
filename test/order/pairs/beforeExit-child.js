'use strict';
// child inside beforeExit, and immediate inside both.
require('../lib/chain')('beforeExit', 'child', 'immediate');
