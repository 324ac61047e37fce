'use strict';
// socket inside queue, and close inside both.
require('../lib/chain')('queue', 'socket', 'close');
