'use strict';
// tick inside queue, and queue inside both.
require('../lib/chain')('queue', 'tick', 'queue');
