'use strict';
// tick inside interval, and interval inside both.
require('../lib/chain')('interval', 'tick', 'interval');
