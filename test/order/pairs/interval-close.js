'use strict';
// close inside interval, and tick inside both.
require('../lib/chain')('interval', 'close', 'tick');
