'use strict';
// socket inside tick, and socket inside both.
require('../lib/chain')('tick', 'socket', 'socket');
