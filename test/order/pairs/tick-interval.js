'use strict';
// interval inside tick, and interval inside both.
require('../lib/chain')('tick', 'interval', 'interval');
