'use strict';
// tick inside immediate, and immediate inside both.
require('../lib/chain')('immediate', 'tick', 'immediate');
