'use strict';
// immediate inside queue, and socket inside both.
require('../lib/chain')('queue', 'immediate', 'socket');
