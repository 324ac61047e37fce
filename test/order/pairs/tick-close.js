'use strict';
// close inside tick, and close inside both.
require('../lib/chain')('tick', 'close', 'close');
