'use strict';
// timer inside interval, and socket inside both.
require('../lib/chain')('interval', 'timer', 'socket');
