'use strict';
// error inside beforeExit, and child inside both.
require('../lib/chain')('beforeExit', 'error', 'child');
