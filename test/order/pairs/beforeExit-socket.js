'use strict';
// socket inside beforeExit, and interval inside both.
require('../lib/chain')('beforeExit', 'socket', 'interval');
