'use strict';
// tick inside timer, and timer inside both.
require('../lib/chain')('timer', 'tick', 'timer');
