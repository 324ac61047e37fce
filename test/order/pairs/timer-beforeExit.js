'use strict';
// beforeExit inside timer, and tick inside both.
require('../lib/chain')('timer', 'beforeExit', 'tick');
