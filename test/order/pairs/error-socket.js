'use strict';
// socket inside error, and immediate inside both.
require('../lib/chain')('error', 'socket', 'immediate');
