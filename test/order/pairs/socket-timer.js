'use strict';
// timer inside socket, and beforeExit inside both.
require('../lib/chain')('socket', 'timer', 'beforeExit');
