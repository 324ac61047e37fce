'use strict';
// tick inside socket, and socket inside both.
require('../lib/chain')('socket', 'tick', 'socket');
