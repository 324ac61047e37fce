'use strict';
// timer inside queue, and immediate inside both.
require('../lib/chain')('queue', 'timer', 'immediate');
