'use strict';
// timer inside tick, and timer inside both.
require('../lib/chain')('tick', 'timer', 'timer');
