'use strict';
// timer inside beforeExit, and tick inside both.
require('../lib/chain')('beforeExit', 'timer', 'tick');
