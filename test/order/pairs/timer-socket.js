'use strict';
// socket inside timer, and beforeExit inside both.
require('../lib/chain')('timer', 'socket', 'beforeExit');
