'use strict';
// beforeExit inside socket, and interval inside both.
require('../lib/chain')('socket', 'beforeExit', 'interval');
