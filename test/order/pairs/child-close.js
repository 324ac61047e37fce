'use strict';
// close inside child, and interval inside both.
require('../lib/chain')('child', 'close', 'interval');
