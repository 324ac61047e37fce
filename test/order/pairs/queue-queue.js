'use strict';
// queue inside queue, and interval inside both.
require('../lib/chain')('queue', 'queue', 'interval');
