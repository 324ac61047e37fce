'use strict';
// interval inside timer, and socket inside both.
require('../lib/chain')('timer', 'interval', 'socket');
