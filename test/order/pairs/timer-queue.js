'use strict';
// queue inside timer, and immediate inside both.
require('../lib/chain')('timer', 'queue', 'immediate');
