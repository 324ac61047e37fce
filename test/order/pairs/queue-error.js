'use strict';
// error inside queue, and tick inside both.
require('../lib/chain')('queue', 'error', 'tick');
