'use strict';
// tick inside tick, and tick inside both.
require('../lib/chain')('tick', 'tick', 'tick');
